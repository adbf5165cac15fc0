#include "base/tell.h"

#include <stdarg.h>

#include "base/out.h"

static void take(const struct teller *t, int level, const char *fmt, va_list ap)
{
	autofree char *text = tells(t, level) ? xvasprintf(fmt, ap) : NULL;

	if (text)
		t->take(t->of, level, text);
}

void tell(const struct teller *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	take(t, 0, fmt, ap);
	va_end(ap);
}

void tell_more(const struct teller *t, int level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	take(t, level, fmt, ap);
	va_end(ap);
}
