#ifndef REPORT_TRACE_POINTED_PRIV_H
#define REPORT_TRACE_POINTED_PRIV_H

/* Print the data that arguments point to, for the table of arguments. If it was not read, print the address. */
#include "report/trace/trace_priv.h"

void pointed_text(const struct argument *a);
void pointed_texts(const struct argument *a);  /* ["ls", "-l"] */
void pointed_number(const struct argument *a); /* an address, and the number of pointers */
void pointed_buffer(const struct argument *a); /* bytes, as far as they are known */
void pointed_struct(const struct argument *a); /* by its layout */
void pointed_type(const struct argument *a);   /* by the kernel's types */
void pointed_sockaddr(const struct argument *a);
void pointed_ints(const struct argument *a);   /* [3, 4] */
void pointed_option(const struct argument *a); /* of a socket: [1] */
void pointed_status(const struct argument *a); /* of wait4 */
void pointed_fds(const struct argument *a);    /* of select: [3 4] */

/* arguments.c */
void argument_hex(const struct argument *a);
void argument_descriptor(struct trace *t, int32_t pid, int fd, struct out *o);
void argument_task(struct trace *t, int64_t tid, struct out *o);

#endif
