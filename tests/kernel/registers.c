#define _GNU_SOURCE
/* The first process of a kernel under test: its threads pass a token round, each with patterns in all vector registers
 * that the machine gives, and count the turns after which a register is not as it was. One address space has one set of
 * registers on the host, so the kernel has to put back those of each thread. */
#include <cpuid.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

#define THREADS 3
#define TURNS 500 /* of each thread */
#define MASKS (32 * 64)
#define BYTES (MASKS + 8 * 8)

struct job {
	const unsigned char *in; /* what the registers hold before the other threads' turns */
	unsigned char *out;      /* and what they hold after */
	long from, to;           /* pipes */
	long token;
};

static int pipes[THREADS][2], turns, mismatches;
static long switches;
static enum { SSE, AVX, AVX512 } given;
static size_t width;
static unsigned state;

/* Nothing but these system calls is between loading and storing: what the C library does would use registers too. */
#define PASS                                                                                     \
	"mov $0, %%eax; mov 16(%%rbx), %%rdi; lea 32(%%rbx), %%rsi; mov $1, %%edx; syscall\n"     \
	"mov $1, %%eax; mov 24(%%rbx), %%rdi; lea 32(%%rbx), %%rsi; mov $1, %%edx; syscall\n"
#define FEW "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define ALL FEW ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define MASK "0,1,2,3,4,5,6,7"
#define LOAD(move, set, numbers, from, size) \
	".irp n," numbers "\n" move " " from "+" size "*\\n(%%rax), %%" set "\\n\n.endr\n"
#define STORE(move, set, numbers, to, size) \
	".irp n," numbers "\n" move " %%" set "\\n, " to "+" size "*\\n(%%rax)\n.endr\n"
#define TURN(load, store)                                                                             \
	__asm__ volatile("mov 0(%%rbx), %%rax\n" load PASS "mov 8(%%rbx), %%rax\n" store                 \
			 :                                                                        \
			 : "b"(job)                                                               \
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory", "xmm0", "xmm1", "xmm2", "xmm3", \
			   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
			   "xmm14", "xmm15")

static void turn(struct job *job)
{
	if (given == AVX512)
		TURN(LOAD("vmovdqu64", "zmm", ALL, "0", "64") LOAD("kmovq", "k", MASK, "2048", "8"),
		     STORE("vmovdqu64", "zmm", ALL, "0", "64") STORE("kmovq", "k", MASK, "2048", "8") "vzeroupper\n");
	else if (given == AVX)
		TURN(LOAD("vmovdqu", "ymm", FEW, "0", "32"), STORE("vmovdqu", "ymm", FEW, "0", "32") "vzeroupper\n");
	else
		TURN(LOAD("movdqu", "xmm", FEW, "0", "16"), STORE("movdqu", "xmm", FEW, "0", "16"));
}

static long own_switches(void)
{
	char name[64], line[128];
	long sum = 0, some;

	snprintf(name, sizeof name, "/proc/self/task/%d/status", gettid());
	FILE *status = fopen(name, "r");
	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &some) == 1)
			sum += some;
	if (status)
		fclose(status);
	return sum;
}

static void *work(void *argument)
{
	long own = (long)argument;
	unsigned char in[BYTES], out[BYTES];
	struct job job = { in, out, pipes[own][0], pipes[(own + 1) % THREADS][1], 0 };

	for (int count = 0; count < TURNS; count++) {
		memset(in, 0, sizeof in);
		memset(out, 0, sizeof out);
		for (size_t i = 0; i < width; i++)
			in[i] = 1 + (own * 89 + count * 7 + i * 13) % 255;
		turn(&job);
		turns++;
		mismatches += memcmp(in, out, sizeof in) != 0;
	}
	switches += own_switches();
	return NULL;
}

static int has(unsigned bits, unsigned mask)
{
	return (bits & mask) == mask;
}

/* Which registers there are, and how large all of the state is. */
static void look(void)
{
	unsigned a, b, c, d, low = 0, high, wide = 0;

	__cpuid_count(13, 0, a, state, c, d);
	__cpuid(1, a, b, c, d);
	if (has(c, bit_OSXSAVE | bit_AVX)) {
		__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
		__cpuid_count(7, 0, a, wide, c, d);
	}
	given = has(low, 0xe6) && has(wide, bit_AVX512F | bit_AVX512BW) ? AVX512 : has(low, 6) ? AVX : SSE;
	width = given == AVX512 ? BYTES : given == AVX ? 16 * 32 : 16 * 16;
}

int main(void)
{
	pthread_t threads[THREADS];

	mount("proc", "/proc", "proc", 0, NULL);
	look();
	for (int i = 0; i < THREADS; i++)
		if (pipe(pipes[i]))
			return 1;
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	if (write(pipes[0][1], "", 1) != 1)
		return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("registers: xmm0-15%s%s\n", given >= AVX ? " ymm0-15" : "", given == AVX512 ? " zmm0-31 k0-7" : "");
	printf("state: %u\nturns: %d\nswitches: %ld\nmismatches: %d\n", state, turns, switches, mismatches);
	fflush(stdout);
	if (getpid() == 1)
		reboot(RB_POWER_OFF);
	return mismatches != 0;
}
