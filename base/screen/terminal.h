#ifndef BASE_SCREEN_TERMINAL_H
#define BASE_SCREEN_TERMINAL_H

/*
 * Return the columns of the terminal behind the descriptor; 0 if it is no terminal or the width is
 * unknown.
 */
int terminal_columns(int fd);

#endif
