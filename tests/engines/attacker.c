// Tries to change what is not its own, and says of each attempt how it ended: its name and errno, 0 where it succeeded.
//
// In a kernel's place it is an ordinary process. As process 1 of a kernel it sees this machine's files through hostfs,
// and has all that root has there. Started as an agent is, with `boot`, it becomes the agent. Its orders, lines of
// job.json: the agent, a tree of files, a process, an address there.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static FILE *report;
static char root[8];

static void tell(const char *name, long result) { fprintf(report, "%s %d\n", name, result < 0 ? errno : 0); }

static char *in(const char *tree, const char *name) {
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s%s/%s", root, tree, name);
    return path;
}

static int written(int descriptor) { return descriptor < 0 ? -1 : write(descriptor, "attacked\n", 9); }

static void attack_files(const char *tree) {
    struct timespec then[2] = {{1, 0}, {1, 0}};
    int flags = FS_NODUMP_FL, plain = open(in(tree, "plain"), O_RDONLY);
    tell("append", written(open(in(tree, "plain"), O_WRONLY | O_APPEND)));
    tell("append where all may", written(open(in(tree, "everyones"), O_WRONLY | O_APPEND)));
    tell("cut", truncate(in(tree, "plain"), 1));
    tell("cut while it is opened to be read", open(in(tree, "plain"), O_RDONLY | O_TRUNC));
    tell("create", written(open(in(tree, "new"), O_WRONLY | O_CREAT, 0644)));
    tell("remove", unlink(in(tree, "other")));
    tell("rename", rename(in(tree, "everyones"), in(tree, "renamed")));
    tell("take away", rename(in(tree, "folder"), "taken"));
    tell("link", link(in(tree, "plain"), in(tree, "linked")));
    tell("link to here", link(in(tree, "plain"), "linked"));
    tell("symlink", symlink("plain", in(tree, "symlinked")));
    tell("make a folder", mkdir(in(tree, "made"), 0755));
    tell("remove a folder", rmdir(in(tree, "folder")));
    tell("make a pipe", mkfifo(in(tree, "pipe"), 0644));
    tell("make a device", mknod(in(tree, "device"), S_IFBLK | 0644, makedev(7, 0)));
    tell("make a device here", mknod("device", S_IFBLK | 0644, makedev(7, 0)));
    tell("mode", chmod(in(tree, "plain"), 0777));
    tell("mode of a file that is open", fchmod(plain, 0777));
    tell("owner", chown(in(tree, "plain"), 12345, 12345));
    tell("times", utimensat(AT_FDCWD, in(tree, "plain"), then, 0));
    tell("attribute", setxattr(in(tree, "plain"), "user.attacked", "yes", 3, 0));
    tell("flags", ioctl(plain, FS_IOC_SETFLAGS, &flags));
}

static void attack_process(pid_t victim, unsigned long address) {
    char path[PATH_MAX], words[] = "attacked";
    struct iovec ours = {words, sizeof words}, theirs = {(void *)address, sizeof words};
    struct rlimit limit = {1, 1};
    snprintf(path, sizeof path, "%s/proc/%d/mem", root, victim);
    int memory = open(path, O_RDWR);
    tell("memory as a file", memory < 0 ? -1 : pwrite(memory, words, sizeof words, (off_t)address));
    snprintf(path, sizeof path, "%s/proc/%d/oom_score_adj", root, victim);
    tell("settings of a process", written(open(path, O_WRONLY)));
    if (*root)
        return;
    tell("memory", process_vm_writev(victim, &ours, 1, &theirs, 1, 0));
    tell("ptrace", ptrace(PTRACE_SEIZE, victim, NULL, NULL));
    tell("signal", kill(victim, 0));
    tell("limit", prlimit(victim, RLIMIT_CORE, &limit, NULL));
    tell("priority", setpriority(PRIO_PROCESS, victim, 19));
    int shared = shmget(IPC_PRIVATE, 4096, 0600);
    tell("shared memory", shared);
    shmctl(shared, IPC_RMID, NULL);
    tell("socket", socket(AF_UNIX, SOCK_STREAM, 0));
    tell("network", socket(AF_INET, SOCK_DGRAM, 0));
}

int main(int count, char **words) {
    char agent[PATH_MAX], tree[PATH_MAX];
    int victim;
    unsigned long address;
    FILE *orders = fopen("job.json", "r");
    if (!orders || fscanf(orders, "%4095s %4095s %d %lx", agent, tree, &victim, &address) != 4)
        return 2;
    fclose(orders);
    if (count > 1 && !strcmp(words[1], "boot")) {
        execv(agent, words);
        return 3;
    }
    int descriptor = open("outcome.json", O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (descriptor < 0 || !(report = fdopen(descriptor, "w")))
        return 4;
    if (getpid() == 1) {
        strcpy(root, "/host");
        mkdir(root, 0755);
        fprintf(report, "mount %d\n", mount("none", root, "hostfs", MS_RDONLY, "/") < 0 ? errno : 0);
        fprintf(report, "mount again %d\n", mount("none", root, NULL, MS_REMOUNT, "/") < 0 ? errno : 0);
    }
    attack_files(tree);
    attack_process(victim, address);
    fclose(report);
    if (getpid() == 1)
        reboot(RB_POWER_OFF);
    return 0;
}
