/* main.c - picks the command. */
#include <stdio.h>

int main(void)
{
	return 0;
}
