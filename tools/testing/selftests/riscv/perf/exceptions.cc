// SPDX-License-Identifier: GPL-2.0-only
/* What callstacks.c needs of C++: calls that an exception leaves. */

extern "C" void leaf(void);
extern "C" void caught(void);

extern "C" void raise_exception(void)
{
	leaf();
	throw 1;
}

/* False if @fn returned after all. */
extern "C" bool leaves_by_exception(void (*fn)(long), long n)
{
	try {
		fn(n);
	} catch (int) {
		/* More instructions than there are between two samples. */
		for (int i = 0; i < 10; i++)
			caught();
		return true;
	}
	return false;
}
