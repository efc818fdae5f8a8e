#!/usr/bin/env bash
# clean_root.sh WHEEL SDIST [SUITE]: a newcomer's first minutes on another release of Debian than this machine's; as root.
#
# debootstrap fills a folder with the release and its Python. In there pip installs the wheel, and the README's experiment is
# checked, run, reported and opened in the page; then pip builds the sdist, which has to give the same simulator. No
# release of Debian has the Rust that this needs, so this machine's is mounted. Mounts and processes have namespaces of their own:
# nothing is left when the script ends, however that is. Each step says how long it took; MINUTES (30) bounds all of them.
set -euo pipefail

if [ -z "${ROOT:-}" ]; then # outside of the namespaces, which take their mounts with them
  for program in debootstrap rustc timeout unshare; do
    command -v "$program" >/dev/null || { echo "this needs $program" >&2; exit 1; }
  done
  ROOT=$(mktemp -d "${TMPDIR:-/tmp}/dumbbell-root.XXXXXX")
  export ROOT
  chmod 755 "$ROOT" # apt looks at it as a user of its own
  timeout --kill-after=1 "$((60 * ${MINUTES:-30}))" \
    unshare --mount --pid --fork --kill-child --propagation private bash "$0" "$@" &
  trap 'kill $! 2>/dev/null || true; wait; rm -rf --one-file-system "$ROOT" "$ROOT.log"' EXIT # Ctrl-C and SIGTERM, too
  wait $!
  exit
fi

root=$ROOT
wheel=$(realpath "$1") sdist=$(realpath "$2")
project=$(cd "$(dirname "$0")/../.." && pwd)
own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
suite=${3:-$([ "$own" = trixie ] && echo forky || echo trixie)}
rust=$(rustc --print sysroot)
certificates=/etc/ssl/certs/ca-certificates.crt # this machine's: a proxy may have one of its own

step() {
  local began=$EPOCHREALTIME
  echo "+ $*"
  if ! "$@" >"$root.log" 2>&1; then
    cat "$root.log" >&2
    return 1
  fi
  tail -n "${SHOWN:-1}" "$root.log" | sed 's/^/  /'
  echo "$began $EPOCHREALTIME" | awk '{ printf "  %.1f s\n", $2 - $1 }'
}

inside() { # a command in the root, with no more of this machine's environment than the network needs
  env -i HOME=/root LC_ALL=C.UTF-8 PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin:"$rust/bin" DEBIAN_FRONTEND=noninteractive \
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_CERT=$certificates CARGO_HTTP_CAINFO=$certificates \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} \
    chroot "$root" "$@"
}

simulator() { inside dumbbell doctor --json | sed -n 's/.*; build \([0-9a-f]*\)".*/\1/p'; }

echo "$suite on $own"
step debootstrap --variant=minbase --include=ca-certificates,python3-venv "$suite" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$certificates" "$root$certificates"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
cp "$wheel" "$sdist" "$root/root/"
awk '/file: experiment.toml/ { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside' \
  "$project/README.md" >"$root/root/experiment.toml"

step inside python3 --version
step inside python3 -m venv /venv
step inside pip install --quiet "/root/$(basename "$wheel")"
step inside dumbbell --version
SHOWN=3 step inside dumbbell check /root/experiment.toml
SHOWN=30 step inside dumbbell run /root/experiment.toml --out /root/results
step inside dumbbell report /root/results --out /root/report.html
grep -q vega-embed "$root/root/report.html" # what draws is in the page
step inside dumbbell cc show bbr
step inside dumbbell explore --no-open /root/experiment.toml
grep -q WebAssembly "$root$(inside dumbbell explore --no-open /root/experiment.toml)"
of_wheel=$(simulator)

step inside apt-get install --yes --quiet --no-install-recommends gcc libc6-dev
mkdir -p "$root$rust"
mount --bind -o ro "$rust" "$root$rust"
step inside pip install --quiet --force-reinstall --no-deps "/root/$(basename "$sdist")"
SHOWN=3 step inside dumbbell check /root/experiment.toml
[ -n "$of_wheel" ] && [ "$of_wheel" = "$(simulator)" ]
echo "wheel and sdist have one simulator, $of_wheel; all of it took $SECONDS s"
