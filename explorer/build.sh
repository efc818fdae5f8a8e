#!/usr/bin/env bash
# build.sh OUT.wasm: builds crates/web for WebAssembly.
#
# Where the compiler has the target wasm32-unknown-unknown, or rustup can fetch it, with that. Elsewhere with Debian's
# rustc-web, which is unpacked into a folder of the cache and not installed, since it conflicts with other toolchains: it
# builds the standard library from source, and the linker is the one that the machine's own toolchain has. Two minutes, once.
# WEB_COMPILER=debian takes that one in any case, to try it.
set -euo pipefail

out=$1
root=$(cd "$(dirname "$0")/.." && pwd)
target=wasm32-unknown-unknown
sysroot=$(rustc --print sysroot)
lld=$(find "$sysroot" -name rust-lld -type f -print -quit)
cd "$root"

missing() {
  echo "the page needs $1" >&2
  exit 1
}

build() { # with what cargo is called
  "$@" build --quiet --profile web --package web --target $target
}

has_target() { [ "${WEB_COMPILER:-}" != debian ] && [ -d "$sysroot/lib/rustlib/$target/lib" ]; }

if ! has_target && [ -z "${WEB_COMPILER:-}" ] && command -v rustup >/dev/null; then
  timeout 60 rustup target add $target >/dev/null 2>&1 || true
fi

if has_target; then
  build cargo
  made=${CARGO_TARGET_DIR:-target}/$target/web/web.wasm
else
  command -v apt-get >/dev/null || missing "the compiler's target $target (rustup target add $target), or Debian's rustc-web"
  [ -n "$lld" ] || missing "rust-lld, which comes with the compiler of rustup"
  debian=${XDG_CACHE_HOME:-$HOME/.cache}/dumbbell/rustc-web
  if [ ! -x "$debian/usr/bin/rustc" ]; then
    rm -rf "$debian.part" && mkdir -p "$debian.part"
    (
      cd "$debian.part"
      apt-get update -qq
      std=$(apt-cache depends libstd-rust-web-dev | sed -n 's/.*Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p' | head -1)
      [ -n "$std" ] || missing "Debian's rustc-web, which its package lists do not have"
      apt-get download -qq rustc-web cargo-web rust-web-src libstd-rust-web-dev "$std" \
        libllvm22 libgit2-1.5 libmbedcrypto7 libmbedtls14 libmbedx509-1 libhttp-parser2.9
      for package in *.deb; do dpkg-deb -x "$package" .; rm "$package"; done
      # The linker finds its libraries in the toolchain that it comes from.
      printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$sysroot/lib" "$lld" >lld.sh && chmod +x lld.sh
    )
    mv "$debian.part" "$debian"
  fi
  libraries=$debian/usr/lib/x86_64-linux-gnu:$debian/usr/lib/llvm-22/lib
  build() {
    LD_LIBRARY_PATH=$libraries RUSTC=$debian/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=target/debian \
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$debian/lld.sh \
      "$debian/usr/bin/cargo" build --quiet --profile web --package web --target $target -Zbuild-std=std,panic_abort
  }
  build
  made=target/debian/$target/web/web.wasm
fi
mkdir -p "$(dirname "$out")"
cp "$made" "$out"
