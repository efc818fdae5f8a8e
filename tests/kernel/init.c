/* The first process of a kernel under test: tells what the kernel has, then ends it, or works for ever if told to. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void tell(const char *name, const char *path)
{
	char text[4096];
	int file = open(path, O_RDONLY);
	ssize_t length = read(file, text, sizeof text - 1);

	text[length > 0 ? length : 0] = 0;
	printf("%s: %s%s", name, text, length > 0 ? "" : "\n");
	close(file);
}

int main(void)
{
	unsigned char bytes[16];
	struct timespec before, after, second = { .tv_sec = 3600 };

	mount("proc", "/proc", "proc", 0, NULL);
	tell("controls", "/proc/sys/net/ipv4/tcp_available_congestion_control");
	tell("version", "/proc/version");
	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&second, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	printf("slept: %ld\n", (long)(after.tv_sec - before.tv_sec));
	printf("epoll: %d\n", epoll_create1(0) >= 0);
	printf("timerfd: %d\n", timerfd_create(CLOCK_MONOTONIC, 0) >= 0);
	printf("packet: %d\n", socket(AF_PACKET, SOCK_RAW, 0) >= 0);
	printf("unix: %d\n", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
	printf("diag: %d\n", socket(AF_NETLINK, SOCK_RAW, 4) >= 0);
	printf("inet6: %d\n", socket(AF_INET6, SOCK_STREAM, 0) >= 0);
	getrandom(bytes, sizeof bytes, 0);
	printf("random: ");
	for (unsigned i = 0; i < sizeof bytes; i++)
		printf("%02x", bytes[i]);
	printf("\n");
	fflush(stdout);
	close(open("/written", O_CREAT | O_WRONLY, 0644));
	while (access("/forever", F_OK) == 0)
		continue;
	reboot(RB_POWER_OFF);
}
