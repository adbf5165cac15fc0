#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

/* Columns of the terminal that the descriptor leads to; 0 if it leads to none, or the terminal does not tell. */
int terminal_columns(int fd);

#endif
