# Code with the same bytes, lines and names everywhere, to compare screens: x86-64, lines of /src/listing.c.
	.file 1 "listing.c"
	.text
	.globl _text
_text:

	.globl count_words
	.type count_words, @function
count_words:
	.loc 1 4
	push %rbx
	mov %rdi, %rbx
	.loc 1 5
	xor %eax, %eax
	test %rbx, %rbx
	je 2f
1:
	.loc 1 7
	movzbl (%rsi), %ecx
	cmp $0x20, %cl
	jne 3f
	.loc 1 8
	add $0x1, %rax
3:
	.loc 1 9
	inc %rsi
	dec %rbx
	jne 1b
2:
	.loc 1 11
	mov %rax, %rdi
	call store_result
	pop %rbx
	ret
	.size count_words, . - count_words

	.globl store_result
	.type store_result, @function
store_result:
	.loc 1 15
	mov %rdi, 0x1000(%rip)
	.loc 1 16
	ret
	.size store_result, . - store_result

	.globl evil__31mred
	.type evil__31mred, @function
evil__31mred:
	.loc 1 20
	nop
	.loc 1 21
	ret
	.size evil__31mred, . - evil__31mred
end_text:

	.section .debug_abbrev
	.uleb128 1, 0x11	# a compilation unit without children
	.byte 0
	.uleb128 0x10, 0x17	# stmt_list, sec_offset
	.uleb128 0x11, 0x01	# low_pc, addr
	.uleb128 0x12, 0x01	# high_pc, addr
	.uleb128 0x03, 0x08	# name, string
	.uleb128 0x1b, 0x08	# comp_dir, string
	.uleb128 0, 0
	.byte 0

	.section .debug_info
	.long 2f - 1f
1:	.value 4
	.long .debug_abbrev
	.byte 8
	.uleb128 1
	.long .debug_line
	.quad _text, end_text
	.string "listing.c"
	.string "/src"
2:
	.section .debug_line
	.section .note.GNU-stack, "", @progbits
