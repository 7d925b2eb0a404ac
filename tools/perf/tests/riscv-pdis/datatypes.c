// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses fields of structs in all ways that there are, and says where they are:
 *
 *   object ADDRESS NUMBER SIZE TYPE		some of one type, one after the other
 *   local ADDRESS NUMBER SIZE FUNCTION TYPE	the same, as long as it is in that function
 *   field OFFSET SIZE NAME TYPE		of a type; of no size if it has no end
 *
 *   datatypes ROUNDS
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define ARRAY(of) (sizeof(of) / sizeof((of)[0]))
#define MANY 16

struct plain { char a; short b; int c; long d; };
struct list { struct list *next; int key; int value; };
struct tree { struct tree *left; struct tree *right; unsigned long key; int depth; };
struct corner { float x; float y; float z; };
struct particle { double position[3]; double speed[3]; int kind; };
struct outer { int before; struct { short x; short y; } inner; long after; };
struct tagged { int tag; union { long number; double real; char bytes[8]; } as; };
struct bits { unsigned int a:3, b:7, c:22; unsigned int rest; };
struct packet { short length; short kind; char data[]; };
struct ops { long (*open)(struct ops *ops); long (*close)(struct ops *ops); long calls; };
struct counter { int value; int last; long total; };
struct entry { struct entry *next; unsigned int hash; char name[12]; };
struct bucket { struct entry *first; int length; };
struct slot { long when; int what; int much; };
struct ring { unsigned int head; unsigned int tail; struct slot slots[8]; };
struct matrix { int rows; int columns; int cells[4][4]; };
struct config { int level; long limit; char name[16]; short flags[8]; };
struct scratch { int a[4]; long b; int c; };
struct mine { long count; int last; };
struct link { struct link *next; struct link *before; };
struct node { long payload; struct link link; int weight; };
struct vector { int *items; size_t number; };
struct triple { long first; long second; long third; };

static struct corner corners[MANY];
static struct config config;
struct config *configs[2] = { &config, &config };
struct triple triples[MANY];
static div_t pairs[MANY];
static __thread struct mine mine;
static struct link ends = { &ends, &ends };
long sink;

#define OBJECT(type, at, number) \
	printf("object %p %d %zu %s\n", (void *)(at), (int)(number), sizeof(type), #type)
#define LOCAL(function, type, at) \
	printf("local %p 1 %zu %s %s\n", (void *)(at), sizeof(type), #function, #type)
#define FIELD(type, name) \
	printf("field %zu %zu %s %s\n", offsetof(type, name), sizeof(((type *)0)->name), \
	       #name, #type)

static NOINLINE long plain_use(struct plain *p)
{
	p->a++;
	p->b += p->a;
	p->c ^= p->b;
	p->d += p->c;
	return p->d;
}

static NOINLINE long plain_through(struct plain **table, int i)
{
	table[i]->d--;
	return table[i]->c + table[i ^ 1]->b;
}

static NOINLINE long list_sum(const struct list *l)
{
	long sum = 0;

	for (; l; l = l->next)
		sum += l->key * l->value;
	return sum;
}

static NOINLINE void list_change(struct list *l, int by)
{
	while (l) {
		l->value += by;
		l = l->next;
	}
}

static NOINLINE struct tree *tree_find(struct tree *t, unsigned long key)
{
	while (t && t->key != key)
		t = key < t->key ? t->left : t->right;
	return t;
}

static NOINLINE int tree_depth(struct tree *t, int depth)
{
	int left, right;

	if (!t)
		return depth;
	t->depth = depth;
	left = tree_depth(t->left, depth + 1);
	right = tree_depth(t->right, depth + 1);
	return left > right ? left : right;
}

static NOINLINE float corners_turn(float by)
{
	float sum = 0;
	size_t i;

	for (i = 0; i < ARRAY(corners); i++) {
		float x = corners[i].x;

		corners[i].x = corners[i].y * by;
		corners[i].y = x - by;
		corners[i].z += 1;
		sum += corners[i].z;
	}
	return sum;
}

static NOINLINE double particles_move(struct particle *p, int number, double by)
{
	double sum = 0;
	int i, j;

	for (i = 0; i < number; i++) {
		if (p[i].kind & 1)
			continue;
		for (j = 0; j < 3; j++)
			p[i].position[j] += p[i].speed[j] * by;
		sum += p[i].position[0];
	}
	return sum;
}

static NOINLINE long outer_use(struct outer *o)
{
	o->inner.x += o->before;
	o->inner.y -= o->inner.x;
	o->after += o->inner.y;
	o->before = o->after >> 3;
	return o->after;
}

static NOINLINE long tagged_use(struct tagged *t)
{
	switch (t->tag) {
	case 0:
		return t->as.number++;
	case 1:
		t->as.real *= 0.5;
		return t->as.real;
	default:
		t->as.bytes[3]++;
		return t->as.bytes[5];
	}
}

static NOINLINE unsigned int bits_use(struct bits *b)
{
	b->a++;
	b->b += b->a;
	b->c += b->b;
	b->rest ^= b->c;
	return b->rest;
}

static NOINLINE int packet_sum(struct packet *p)
{
	int i, sum = p->kind;

	for (i = 0; i < p->length; i++)
		sum += p->data[i]++;
	return sum;
}

static NOINLINE long ops_open(struct ops *ops)
{
	return ++ops->calls;
}

static NOINLINE long ops_close(struct ops *ops)
{
	return ops->calls--;
}

static NOINLINE long ops_call(struct ops *ops)
{
	long opened = ops->open(ops);

	return opened + ops->close(ops) + ops->calls;
}

static NOINLINE long counter_add(struct counter *c, int by)
{
	int old = __atomic_fetch_add(&c->value, by, __ATOMIC_RELAXED);

	__atomic_fetch_add(&c->total, old, __ATOMIC_ACQ_REL);
	__atomic_compare_exchange_n(&c->last, &old, by, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return c->last;
}

static NOINLINE struct entry *bucket_find(struct bucket *b, unsigned int number,
					  unsigned int hash)
{
	struct entry *e = b[hash % number].first;

	b[hash % number].length++;
	while (e && e->hash != hash)
		e = e->next;
	return e;
}

static NOINLINE int entry_compare(const struct entry *e, const char *name)
{
	int i;

	for (i = 0; i < 12 && e->name[i] == name[i]; i++)
		;
	return i;
}

static NOINLINE void ring_put(struct ring *r, long when, int what)
{
	struct slot *s = &r->slots[r->head++ % ARRAY(r->slots)];

	s->when = when;
	s->what = what;
	s->much += what;
}

static NOINLINE long ring_get(struct ring *r)
{
	unsigned int at = r->tail++ % ARRAY(r->slots);

	return r->slots[at].when + r->slots[at].much;
}

static NOINLINE int matrix_turn(struct matrix *m)
{
	int i, j, sum = 0;

	for (i = 0; i < m->rows; i++) {
		for (j = i + 1; j < m->columns; j++) {
			int cell = m->cells[i][j];

			m->cells[i][j] = m->cells[j][i];
			m->cells[j][i] = cell;
			sum += cell;
		}
	}
	return sum;
}

static NOINLINE long config_use(int i)
{
	config.level += i;
	config.limit ^= config.level;
	config.flags[i & 7]++;
	configs[i & 1]->name[i & 15]++;
	return configs[i & 1]->limit;
}

static NOINLINE long scratch_fill(struct scratch *s, int by)
{
	int i;

	for (i = 0; i < 4; i++)
		s->a[i] = by + i;
	s->b = s->a[by & 3];
	s->c = by;
	return s->b;
}

static NOINLINE long scratch_use(int by, int tell)
{
	struct scratch s;
	long b;

	if (tell) {
		LOCAL(scratch_use, struct scratch, &s);
		LOCAL(scratch_fill, struct scratch, &s);
	}
	b = scratch_fill(&s, by);
	s.c += s.a[by & 3];
	s.b += s.c;
	return b + s.b + s.c;
}

static NOINLINE long mine_use(int i)
{
	mine.count += mine.last;
	mine.last = i;
	return mine.count;
}

#define node_of(l) ((struct node *)((char *)(l) - offsetof(struct node, link)))

static NOINLINE void node_add(struct node *n)
{
	n->link.next = ends.next;
	n->link.before = &ends;
	ends.next->before = &n->link;
	ends.next = &n->link;
}

static NOINLINE long nodes_sum(void)
{
	struct link *l;
	long sum = 0;

	for (l = ends.next; l != &ends; l = l->next) {
		struct node *n = node_of(l);

		n->payload += n->weight;
		sum += n->payload;
	}
	return sum;
}

static NOINLINE long vector_sum(const struct vector *v)
{
	long sum = 0;
	size_t i;

	for (i = 0; i < v->number; i++)
		sum += v->items[i];
	return sum;
}

static NOINLINE long triples_use(unsigned int i)
{
	struct triple *t = &triples[i % MANY];

	triples[(i + 5) % MANY].third++;
	t->second += t->first;
	return t->second + triples[(i * 7) % MANY].third;
}

static NOINLINE int pairs_swap(div_t *p, int number)
{
	div_t *end = p + number;
	int sum = 0;

	for (; p != end; p++) {
		int left = p->quot;

		p->quot = p->rem;
		p->rem = left + 1;
		sum += left;
	}
	return sum;
}

/* All that is allocated */
static struct {
	struct plain *plain;
	struct plain *table[2];
	struct list *list;
	struct tree *tree;
	struct particle *particles;
	struct outer *outer;
	struct tagged *tagged;
	struct bits *bits;
	struct packet *packet;
	struct ops *ops;
	struct counter *counter;
	struct bucket *buckets;
	struct entry *entries;
	struct ring *ring;
	struct matrix *matrix;
	struct node *nodes;
	struct vector *vector;
} all;

static void *some(size_t number, size_t size)
{
	void *found = calloc(number, size);

	if (!found)
		exit(1);
	return found;
}

#define NEW(what, type, number) do { \
	all.what = some(number, sizeof(type)); \
	OBJECT(type, all.what, number); \
} while (0)

static void make_lists(void)
{
	int i;

	NEW(list, struct list, MANY);
	NEW(tree, struct tree, MANY);
	NEW(nodes, struct node, MANY);
	OBJECT(struct link, &ends, 1);
	for (i = 0; i < MANY; i++) {
		OBJECT(struct link, &all.nodes[i].link, 1);
		all.list[i] = (struct list) { i + 1 < MANY ? &all.list[i + 1] : NULL, i, i };
		all.nodes[i].weight = i;
		node_add(&all.nodes[i]);
		all.tree[i].key = i;
		if (i && i < 8)
			all.tree[i].left = &all.tree[0];
		if (i == 8)
			all.tree[i].left = &all.tree[4];
		else if (i > 8)
			all.tree[i - 1].right = &all.tree[i];
	}
}

static void make_hash(void)
{
	int i;

	NEW(buckets, struct bucket, 4);
	NEW(entries, struct entry, MANY);
	for (i = 0; i < MANY; i++) {
		struct entry *e = &all.entries[i];

		e->hash = i;
		snprintf(e->name, sizeof(e->name), "entry%d", i);
		e->next = all.buckets[i % 4].first;
		all.buckets[i % 4].first = e;
	}
}

static void make_rest(void)
{
	NEW(plain, struct plain, 2);
	all.table[0] = all.plain;
	all.table[1] = all.plain + 1;
	NEW(particles, struct particle, MANY);
	NEW(outer, struct outer, 1);
	NEW(tagged, struct tagged, 3);
	all.tagged[1].tag = 1;
	all.tagged[2].tag = 2;
	NEW(bits, struct bits, 1);
	all.packet = some(1, sizeof(struct packet) + 32);
	all.packet->length = 32;
	printf("object %p 1 %zu struct packet\n", (void *)all.packet, sizeof(struct packet) + 32);
	printf("field %zu 0 data struct packet\n", offsetof(struct packet, data));
	NEW(ops, struct ops, 1);
	*all.ops = (struct ops) { ops_open, ops_close, 0 };
	NEW(counter, struct counter, 1);
	all.ring = some(1, sizeof(struct ring));
	printf("object %p 1 %zu struct ring\n", (void *)all.ring, offsetof(struct ring, slots));
	OBJECT(struct slot, all.ring->slots, ARRAY(all.ring->slots));
	NEW(matrix, struct matrix, 1);
	all.matrix->rows = 4;
	all.matrix->columns = 4;
	NEW(vector, struct vector, 1);
	all.vector->items = some(MANY, sizeof(int));
	all.vector->number = MANY;
	OBJECT(int, all.vector->items, MANY);
}

static void tell_globals(void)
{
	OBJECT(struct corner, corners, ARRAY(corners));
	OBJECT(struct config, &config, 1);
	OBJECT(struct triple, triples, ARRAY(triples));
	OBJECT(div_t, pairs, ARRAY(pairs));
	OBJECT(struct mine, &mine, 1);
}

static void tell_fields(void)
{
	FIELD(struct plain, a);
	FIELD(struct plain, b);
	FIELD(struct plain, c);
	FIELD(struct plain, d);
	FIELD(struct list, next);
	FIELD(struct list, key);
	FIELD(struct list, value);
	FIELD(struct tree, left);
	FIELD(struct tree, right);
	FIELD(struct tree, key);
	FIELD(struct tree, depth);
	FIELD(struct corner, x);
	FIELD(struct corner, y);
	FIELD(struct corner, z);
	FIELD(struct particle, position);
	FIELD(struct particle, speed);
	FIELD(struct particle, kind);
	FIELD(struct outer, before);
	FIELD(struct outer, inner.x);
	FIELD(struct outer, inner.y);
	FIELD(struct outer, after);
	FIELD(struct tagged, tag);
	FIELD(struct tagged, as.number);
	FIELD(struct bits, rest);
	FIELD(struct packet, length);
	FIELD(struct packet, kind);
	FIELD(struct ops, open);
	FIELD(struct ops, close);
	FIELD(struct ops, calls);
	FIELD(struct counter, value);
	FIELD(struct counter, last);
	FIELD(struct counter, total);
	FIELD(struct entry, next);
	FIELD(struct entry, hash);
	FIELD(struct entry, name);
	FIELD(struct bucket, first);
	FIELD(struct bucket, length);
	FIELD(struct slot, when);
	FIELD(struct slot, what);
	FIELD(struct slot, much);
	FIELD(struct ring, head);
	FIELD(struct ring, tail);
	FIELD(struct matrix, rows);
	FIELD(struct matrix, columns);
	FIELD(struct matrix, cells);
	FIELD(struct config, level);
	FIELD(struct config, limit);
	FIELD(struct config, name);
	FIELD(struct config, flags);
	FIELD(struct scratch, a);
	FIELD(struct scratch, b);
	FIELD(struct scratch, c);
	FIELD(struct mine, count);
	FIELD(struct mine, last);
	FIELD(struct link, next);
	FIELD(struct link, before);
	FIELD(struct node, payload);
	FIELD(struct node, link.next);
	FIELD(struct node, link.before);
	FIELD(struct node, weight);
	FIELD(struct vector, items);
	FIELD(struct vector, number);
	FIELD(struct triple, first);
	FIELD(struct triple, second);
	FIELD(struct triple, third);
	FIELD(div_t, quot);
	FIELD(div_t, rem);
}

static NOINLINE void one_round(int i, int tell)
{
	struct entry *e;

	sink += plain_use(all.plain) + plain_through(all.table, i & 1);
	list_change(all.list, i);
	sink += list_sum(all.list);
	sink += !!tree_find(&all.tree[8], i % MANY);
	sink += tree_depth(&all.tree[8], 0);
	sink += corners_turn(i);
	sink += particles_move(all.particles, MANY, 0.5);
	sink += outer_use(all.outer) + tagged_use(&all.tagged[i % 3]);
	sink += bits_use(all.bits) + packet_sum(all.packet);
	sink += ops_call(all.ops) + counter_add(all.counter, i);
	e = bucket_find(all.buckets, 4, i % MANY);
	if (e)
		sink += entry_compare(e, "entry12");
	ring_put(all.ring, i, i);
	sink += ring_get(all.ring) + matrix_turn(all.matrix) + config_use(i);
	sink += scratch_use(i, tell) + mine_use(i) + nodes_sum();
	sink += vector_sum(all.vector) + triples_use(i) + pairs_swap(pairs, MANY);
}

int main(int argc, char **argv)
{
	int i, rounds = argc > 1 ? atoi(argv[1]) : 1;

	make_lists();
	make_hash();
	make_rest();
	tell_globals();
	tell_fields();
	for (i = 0; i < rounds; i++)
		one_round(i, i == 0);
	return sink == 1;
}
