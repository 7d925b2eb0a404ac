/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs need besides where they run under Linux; and where their data is */
#ifndef RT_H
#define RT_H

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define PLATFORM_RAM_SPARE	0x4000000000UL

#endif /* RT_H */
