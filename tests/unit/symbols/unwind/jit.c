/* Unwind information from a jitdump that grows. Source: jitdump-specification.txt of the kernel tree. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/out.h"
#include "symbols/arch/arch_priv.h"
#include "symbols/name/jitdump.h"
#include "symbols/unwind/jit.h"

/* A dump in a file without a name. */
struct dump {
	struct out bytes; /* not yet written */
	int fd;
	bool swap;
};

static void put(struct dump *d, uint64_t v, unsigned size)
{
	bool big = d->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	for (unsigned i = 0; i < size; i++)
		out_char(&d->bytes, (char)(v >> 8 * (big ? size - 1 - i : i)));
}

static void put_header(struct dump *d, uint64_t flags)
{
	put(d, 0x4a695444, 4);
	put(d, 1, 4);
	put(d, 40, 4);
	put(d, EM_X86_64, 4);
	put(d, 0, 4);
	put(d, 77, 4);
	put(d, 5, 8);
	put(d, flags, 8);
}

static int temporary(void)
{
	char path[] = "/tmp/strobe-unit-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static struct dump begin(void)
{
	struct dump d = { .fd = temporary() };

	out_init_mem(&d.bytes);
	return d;
}

/* Write what was put, as the JIT does. */
static void flush(struct dump *d)
{
	assert_int_equal(write(d->fd, d->bytes.buf, d->bytes.len), (ssize_t)d->bytes.len);
	d->bytes.len = 0;
}

static void put_record(struct dump *d, uint32_t id, uint32_t body, uint64_t time)
{
	put(d, id, 4);
	put(d, 16 + body, 4);
	put(d, time, 8);
}

/* Code of `len` bytes. */
static void put_load(struct dump *d, uint64_t time, uint64_t at, uint32_t len, uint64_t index)
{
	put_record(d, JITDUMP_LOAD, 40 + 2 + len, time);
	put(d, 77, 4);
	put(d, 77, 4);
	put(d, at, 8);
	put(d, at, 8);
	put(d, len, 8);
	put(d, index, 8);
	out_mem(&d->bytes, "f", 2);
	out_pad(&d->bytes, '\x90', (long)len);
}

static void put_move(struct dump *d, uint64_t time, uint64_t from, uint64_t to, uint32_t len, uint64_t index)
{
	put_record(d, JITDUMP_MOVE, 48, time);
	put(d, 77, 4);
	put(d, 77, 4);
	put(d, from, 8);
	put(d, from, 8);
	put(d, to, 8);
	put(d, len, 8);
	put(d, index, 8);
}

enum { FRAMES = 24 + 32, HEADER = 4 };

/*
 * The .eh_frame of code of `len` bytes: CFA = rsp + 8, behind the first byte rsp + `depth`. Its address of the code is
 * relative to the place of that address: the frames lie behind the code, at the next multiple of eight. Source: Linux
 * Standard Base Core, "Exception Frames"; DWARF 5, 6.4.
 */
static void put_unwind(struct dump *d, uint64_t time, uint32_t len, uint8_t depth)
{
	put_record(d, JITDUMP_UNWIND, 24 + FRAMES + HEADER, time);
	put(d, FRAMES + HEADER, 8);
	put(d, HEADER, 8);
	put(d, FRAMES + HEADER, 8);
	put(d, 20, 4); /* the common entry: no id, version 1, "zR", factors 1 and -8, return address 16 */
	put(d, 0, 4);
	out_mem(&d->bytes, "\1zR\0\1\x78\x10\1\x1b", 9); /* R: relative, four bytes with a sign */
	out_mem(&d->bytes, "\x0c\7\10\x90\1\0\0", 7);    /* CFA = rsp + 8, return address at CFA - 8; two nops */
	put(d, 28, 4);                                   /* the function's */
	put(d, 28, 4);
	put(d, (uint32_t) - (((len + 7) & ~7u) + 32), 4); /* from the 32nd byte of the frames back to the code */
	put(d, len, 4);
	out_char(&d->bytes, '\0');
	out_mem(&d->bytes, "\x41\x0e", 2); /* from its second byte on */
	out_char(&d->bytes, (char)depth);
	out_pad(&d->bytes, '\0', 12);
	out_pad(&d->bytes, '\x55', HEADER);
}

static struct unwind_jit *open_dump(struct dump *d, bool timed)
{
	struct unwind_jit *j;

	flush(d);
	j = unwind_jit_open(dup(d->fd), timed);
	assert_non_null(j);
	unwind_jit_read(j);
	return j;
}

static void more(struct dump *d, struct unwind_jit *j)
{
	flush(d);
	unwind_jit_read(j);
}

static void done(struct dump *d, struct unwind_jit *j)
{
	unwind_jit_free(j);
	close(d->fd);
	out_release(&d->bytes);
}

/* The CFA is rsp + `depth` there. */
static void expect_depth(struct unwind_jit *j, uint32_t piece, uint64_t addr, int64_t depth)
{
	const struct cfi_row *row = unwind_jit_row(j, piece, addr, &arch_x86_64);

	assert_non_null(row);
	assert_int_equal(row->cfa.how, CFI_REGISTER);
	assert_int_equal(row->cfa.offset, depth);
}

/* ---- pieces ---- */

static void code_is_found_from_its_first_byte_to_its_last(void **state)
{
	for (int swap = 0; swap < 2; swap++) {
		struct dump d = begin();
		struct unwind_jit *j;

		d.swap = swap;
		put_header(&d, 0);
		put_load(&d, 10, 0x1ff8, 16, 1); /* on two pages */
		put_load(&d, 10, 0x3000, 1, 2);
		put_load(&d, 10, 0x4000, 0x2001, 3);
		j = open_dump(&d, true);
		assert_int_equal(unwind_jit_find(j, 0x1ff7, 10), 0);
		assert_int_equal(unwind_jit_find(j, 0x1ff8, 10), 1);
		assert_int_equal(unwind_jit_find(j, 0x2007, 10), 1);
		assert_int_equal(unwind_jit_find(j, 0x2008, 10), 0);
		assert_int_equal(unwind_jit_find(j, 0x3000, 10), 2);
		assert_int_equal(unwind_jit_find(j, 0x3001, 10), 0);
		assert_int_equal(unwind_jit_find(j, 0x5fff, 10), 3);
		assert_int_equal(unwind_jit_find(j, 0x6000, 10), 3);
		assert_int_equal(unwind_jit_find(j, 0x6001, 10), 0);
		assert_int_equal(unwind_jit_find(j, 0, 10), 0);
		assert_int_equal(unwind_jit_find(j, UINT64_MAX, 10), 0);
		done(&d, j);
	}
}

static void the_newest_code_of_the_time_is_meant(void **state)
{
	struct dump d = begin();
	struct unwind_jit *j;

	put_header(&d, 0);
	put_load(&d, 10, 0x1000, 8, 1);
	put_load(&d, 20, 0x1004, 8, 2); /* overwrites a part of it */
	j = open_dump(&d, true);
	assert_int_equal(unwind_jit_find(j, 0x1000, 9), 0);
	assert_int_equal(unwind_jit_find(j, 0x1004, 10), 1);
	assert_int_equal(unwind_jit_find(j, 0x1004, 19), 1);
	assert_int_equal(unwind_jit_find(j, 0x1004, 20), 2);
	assert_int_equal(unwind_jit_find(j, 0x1003, 20), 1);
	assert_int_equal(unwind_jit_find(j, 0x1008, 19), 0);
	done(&d, j);
}

static void without_times_shared_addresses_are_unknown(void **state)
{
	/* The samples have another clock, or the dump counts ticks of the CPU (flag 1). */
	for (int ticks = 0; ticks < 2; ticks++) {
		struct dump d = begin();
		struct unwind_jit *j;

		put_header(&d, (uint64_t)ticks);
		put_load(&d, 10, 0x1000, 8, 1);
		put_load(&d, 20, 0x1004, 8, 2);
		j = open_dump(&d, ticks);
		assert_int_equal(unwind_jit_find(j, 0x1003, 5), 1);
		assert_int_equal(unwind_jit_find(j, 0x1004, 30), 0);
		assert_int_equal(unwind_jit_find(j, 0x1008, 5), 2);
		done(&d, j);
	}
}

/* A JIT that writes without end must not slow down the lookup of each frame. */
static void a_lookup_ends_behind_the_newest_pieces_of_a_page(void **state)
{
	enum { NEWER = 4096 };
	struct dump d = begin();
	struct unwind_jit *j;

	put_header(&d, 0);
	put_load(&d, 10, 0x1ffe, 1, 1);
	put_load(&d, 10, 0x1fff, 1, 2);
	for (uint64_t i = 1; i < NEWER; i++)
		put_load(&d, 20, 0x1000, 1, 2 + i);
	j = open_dump(&d, true);
	assert_int_equal(unwind_jit_find(j, 0x1fff, 20), 2);
	assert_int_equal(unwind_jit_find(j, 0x1ffe, 20), 0);
	assert_int_equal(unwind_jit_find(j, 0x1000, 20), NEWER + 1);
	done(&d, j);
}

static void a_moved_piece_is_found_at_both_places(void **state)
{
	struct dump d = begin();
	struct unwind_jit *j;

	put_header(&d, 0);
	put_unwind(&d, 10, 8, 32);
	put_load(&d, 10, 0x1000, 8, 1);
	put_move(&d, 20, 0x1000, 0x5000, 8, 1);
	j = open_dump(&d, true);
	assert_int_equal(unwind_jit_find(j, 0x5000, 19), 0);
	assert_int_equal(unwind_jit_find(j, 0x5000, 20), 2);
	assert_int_equal(unwind_jit_find(j, 0x1000, 15), 1);
	expect_depth(j, 1, 0x1001, 32);
	expect_depth(j, 2, 0x5001, 32); /* with the frames of the other */
	done(&d, j);
}

/* A move that is read later than its code: the bytes of the file are no longer mapped. */
static void a_piece_may_move_after_it_was_read(void **state)
{
	struct dump d = begin();
	struct unwind_jit *j;

	put_header(&d, 0);
	put_unwind(&d, 10, 8, 32);
	put_load(&d, 10, 0x1000, 8, 1);
	j = open_dump(&d, true);
	put_move(&d, 20, 0x1000, 0x5000, 8, 1);
	more(&d, j);
	assert_int_equal(unwind_jit_find(j, 0x5007, 20), 2);
	expect_depth(j, 2, 0x5001, 32);
	expect_depth(j, 1, 0x1000, 8);
	done(&d, j);
}

/* ---- a file that grows ---- */

static void grow(bool timed)
{
	struct dump d = begin();
	struct unwind_jit *j = open_dump(&d, timed); /* empty */

	assert_int_equal(unwind_jit_find(j, 0x1000, 99), 0);
	put_header(&d, 0);
	d.bytes.len -= 1;
	more(&d, j); /* the header lacks a byte */
	put(&d, 0, 1);
	put_load(&d, 10, 0x1000, 8, 1);
	more(&d, j);
	assert_int_equal(unwind_jit_find(j, 0x1000, 99), 1);
	unwind_jit_read(j); /* nothing new */
	assert_int_equal(unwind_jit_find(j, 0x1000, 99), 1);
	put_load(&d, 20, 0x2000, 8, 2);
	more(&d, j);
	assert_int_equal(unwind_jit_find(j, 0x1000, 99), 1);
	assert_int_equal(unwind_jit_find(j, 0x2000, 99), 2);
	done(&d, j);
}

static void what_was_written_since_is_read(void **state)
{
	grow(true);
	grow(false);
}

/* Whatever the JIT has written when we look, the pieces that are complete are there, with their rows. */
static void a_record_may_be_half_written(void **state)
{
	struct out whole;
	struct dump d = begin();
	size_t first;

	put_header(&d, 0);
	put_unwind(&d, 10, 8, 32);
	put_load(&d, 10, 0x1000, 8, 1);
	first = d.bytes.len;
	put_unwind(&d, 20, 13, 64);
	put_load(&d, 20, 0x2000, 13, 2);
	whole = d.bytes;
	close(d.fd);
	for (size_t len = 0; len < whole.len; len++) {
		struct dump part = begin();
		struct unwind_jit *j;

		out_mem(&part.bytes, whole.buf, len);
		j = open_dump(&part, true);
		assert_int_equal(unwind_jit_find(j, 0x1000, 99), len >= first ? 1 : 0);
		assert_int_equal(unwind_jit_find(j, 0x2000, 99), 0);
		out_mem(&part.bytes, whole.buf + len, whole.len - len);
		more(&part, j);
		assert_int_equal(unwind_jit_find(j, 0x1000, 99), 1);
		assert_int_equal(unwind_jit_find(j, 0x2000, 99), 2);
		expect_depth(j, 1, 0x1001, 32);
		expect_depth(j, 2, 0x2001, 64);
		done(&part, j);
	}
	out_release(&whole);
}

static void other_files_stay_without_code(void **state)
{
	struct dump d = begin();
	struct unwind_jit *j;

	out_pad(&d.bytes, 'x', 40);
	j = open_dump(&d, true);
	/* and nothing that follows changes that */
	assert_int_equal(ftruncate(d.fd, 0), 0);
	assert_int_equal(lseek(d.fd, 0, SEEK_SET), 0);
	put_header(&d, 0);
	put_load(&d, 10, 0x1000, 8, 1);
	more(&d, j);
	assert_int_equal(unwind_jit_find(j, 0x1000, 99), 0);
	done(&d, j);
}

static void only_regular_files_are_opened(void **state)
{
	int fd = open("/dev/null", O_RDONLY);

	assert_null(unwind_jit_open(fd, true));
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* it is closed */
	assert_null(unwind_jit_open(-1, true));
	unwind_jit_free(NULL);
}

static void a_file_that_shrinks_does_no_harm(void **state)
{
	struct dump d = begin();
	struct unwind_jit *j;

	put_header(&d, 0);
	put_unwind(&d, 10, 8000, 32);
	put_load(&d, 10, 0x1000, 8000, 1);
	j = open_dump(&d, true);
	assert_int_equal(ftruncate(d.fd, 41), 0);
	unwind_jit_read(j);
	assert_int_equal(unwind_jit_find(j, 0x1000, 99), 1);
	expect_depth(j, 1, 0x1001, 32); /* from our own copy */
	done(&d, j);
}

/* ---- rows ---- */

static void rows_are_those_of_the_frames(void **state)
{
	struct dump d = begin();
	struct unwind_jit *j;
	const struct cfi_row *row;

	put_header(&d, 0);
	put_unwind(&d, 10, 13, 48); /* the frames lie at the next multiple of eight, not right behind */
	put_load(&d, 10, 0x1000, 13, 1);
	put_load(&d, 11, 0x2000, 8, 2); /* without any */
	put_unwind(&d, 12, 8, 48);
	put_load(&d, 12, 0x3000, 8, 3);
	j = open_dump(&d, true);
	expect_depth(j, 3, 0x3007, 48);
	expect_depth(j, 1, 0x1000, 8);
	expect_depth(j, 1, 0x1001, 48);
	expect_depth(j, 1, 0x100c, 48);
	assert_null(unwind_jit_row(j, 1, 0x100d, &arch_x86_64));
	assert_null(unwind_jit_row(j, 1, 0xfff, &arch_x86_64));
	assert_null(unwind_jit_row(j, 2, 0x2000, &arch_x86_64));
	expect_depth(j, 3, 0x3000, 8);
	assert_null(unwind_jit_row(j, 3, 0x1001, &arch_x86_64));
	row = unwind_jit_row(j, 1, 0x1001, &arch_x86_64);
	assert_ptr_equal(unwind_jit_row(j, 3, 0x3001, &arch_x86_64), row); /* equal ones are stored once */
	done(&d, j);
}

static void rows_may_be_asked_for_in_any_order(void **state)
{
	enum { N = 300 };
	struct dump d = begin();
	struct unwind_jit *j;

	put_header(&d, 0);
	for (uint32_t i = 1; i <= N; i++) {
		put_unwind(&d, 10, 8, (uint8_t)(16 + 8 * (i % 10)));
		put_load(&d, 10, 0x1000 * i, 8, i);
	}
	j = open_dump(&d, true);
	for (uint32_t i = 1; i <= N; i += i < N - 1 ? N - 2 : 1) /* 1, 299, 300 */
		expect_depth(j, i, 0x1000 * i + 1, 16 + 8 * (i % 10));
	for (uint32_t i = N; i >= 1; i--)
		expect_depth(j, i, 0x1000 * i + 1, 16 + 8 * (i % 10));
	done(&d, j);
}

/* The record states lengths of its own: size of both parts, of the second, of what the JIT has mapped. */
static void wrong_lengths_give_no_rows(void **state)
{
	static const struct {
		uint64_t both, second;
	} sizes[] = { { FRAMES + HEADER + 1, HEADER },
		      { HEADER, FRAMES },
		      { UINT64_MAX, HEADER },
		      { UINT64_MAX, UINT64_MAX },
		      { HEADER, HEADER },
		      { 0, 0 },
		      { FRAMES + HEADER, UINT64_MAX },
		      { 1, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct dump d = begin();
		struct unwind_jit *j;

		put_header(&d, 0);
		put_unwind(&d, 10, 8, 32);
		memcpy(d.bytes.buf + 40 + 16, &sizes[i].both, 8);
		memcpy(d.bytes.buf + 40 + 24, &sizes[i].second, 8);
		put_load(&d, 10, 0x1000, 8, 1);
		j = open_dump(&d, true);
		assert_int_equal(unwind_jit_find(j, 0x1000, 99), 1);
		assert_null(unwind_jit_row(j, 1, 0x1001, &arch_x86_64));
		done(&d, j);
	}
}

/* ---- limits ---- */

/* Code on very many pages is not looked for; it would fill our memory. */
static void code_on_too_many_pages_is_left_out(void **state)
{
	static const struct {
		uint32_t len;
		uint32_t piece;
	} pieces[] = { { 4096 << 12, 1 }, { (4096 << 12) + 1, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct dump d = begin();
		struct unwind_jit *j;

		put_header(&d, 0);
		put_load(&d, 10, 0x10000000, pieces[i].len, 1);
		put_load(&d, 10, 0x1000, 8, 2);
		j = open_dump(&d, true);
		assert_int_equal(unwind_jit_find(j, 0x10000000, 99), pieces[i].piece);
		assert_int_equal(unwind_jit_find(j, 0x10000000 + pieces[i].len - 1, 99), pieces[i].piece);
		assert_int_equal(unwind_jit_find(j, 0x1000, 99), 2);
		done(&d, j);
	}
}

static void reading_ends_at_a_number_of_pieces(void **state)
{
	enum { MOST = 1 << 18 };
	struct dump d = begin();
	struct unwind_jit *j;

	put_header(&d, 0);
	for (uint64_t i = 0; i < MOST; i++)
		put_load(&d, 10, 0x100000 + 16 * i, 1, i);
	j = open_dump(&d, true);
	assert_int_equal(unwind_jit_find(j, 0x100000, 99), 1);
	put_load(&d, 20, 0x1000, 8, MOST);
	more(&d, j);
	assert_int_equal(unwind_jit_find(j, 0x1000, 99), 0);
	done(&d, j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_found_from_its_first_byte_to_its_last),
		cmocka_unit_test(the_newest_code_of_the_time_is_meant),
		cmocka_unit_test(without_times_shared_addresses_are_unknown),
		cmocka_unit_test(a_lookup_ends_behind_the_newest_pieces_of_a_page),
		cmocka_unit_test(a_moved_piece_is_found_at_both_places),
		cmocka_unit_test(a_piece_may_move_after_it_was_read),
		cmocka_unit_test(what_was_written_since_is_read),
		cmocka_unit_test(a_record_may_be_half_written),
		cmocka_unit_test(other_files_stay_without_code),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(a_file_that_shrinks_does_no_harm),
		cmocka_unit_test(rows_are_those_of_the_frames),
		cmocka_unit_test(rows_may_be_asked_for_in_any_order),
		cmocka_unit_test(wrong_lengths_give_no_rows),
		cmocka_unit_test(code_on_too_many_pages_is_left_out),
		cmocka_unit_test(reading_ends_at_a_number_of_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
