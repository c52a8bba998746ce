#!/bin/sh
# Installs, updates and removes the Trailmark agent. The server inserts its address, version and the programs' digests
# below. Only the last line runs anything, and a truncated last line is invalid, so an incomplete download does nothing.

SERVER='@SERVER@'
VERSION='@VERSION@'
# SHA-256 of this script without this line.
SELF='@SELF@'
# One line per program: platform, file, SHA-256 of the download, SHA-256 of the program, bytes of the download.
PROGRAMS='@PROGRAMS@'

# Thirty times the script's size.
MAX_SCRIPT_BYTES=524288
# 30 MB over 128 kbit/s.
MAX_SECONDS=1800

usage() {
  cat <<USAGE
Installs the Trailmark agent $VERSION of $SERVER, or updates the one that is here.

  --uninstall            remove the agent, its service and its identity
  --update               update the agent, never ask for a key
  --no-service           install and enroll, leave the starting to you
  --dir DIR              where the program goes       (default $dir)
  --state-dir DIR        where its identity is kept   (default $state)
  --unit-dir DIR         where service files go       (default $units)
  --source-system NAME   with --source-device-id: what another RMM product calls this device
  --source-device-id ID
  --allow-loopback-http  use plain http to a server on this machine

The enrollment key comes on standard input, in TRAILMARK_ENROLLMENT_KEY, or is asked for. No argument takes it,
because every user of a machine can see the arguments of its programs.
USAGE
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'trailmark-agent: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

check_server() {
  case $SERVER in
    https://*) return ;;
    http://*) ;;
    *) fail "this script was not served by a Trailmark server: it names no address" ;;
  esac
  host=${SERVER#http://}
  case $host in
    \[::1\] | \[::1\]:*) ;;
    localhost | localhost:*) ;;
    127.*) case ${host%:*} in *[!0-9.]*) host= ;; esac ;;
    *) host= ;;
  esac
  [ -n "$host" ] || fail "$SERVER is not https: enrollment key, token and logs would cross the network in the clear"
  [ "$loopback_http" = yes ] || fail "$SERVER is plain http on this machine: add --allow-loopback-http to use it"
}

# Sets platform, and node if this machine has no program and needs Node.
find_platform() {
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) arch=other ;;
  esac
  platform=$os-$arch
  # The programs need glibc.
  for library in /lib/ld-musl-*; do [ ! -e "$library" ] || platform=musl; done
  node=
  if [ -z "$(field "$platform" 2)" ]; then
    node=$(command -v node) || fail "there is no program for this machine ($os $(uname -m)); install Node 20.19 or newer"
    # shellcheck disable=SC2016 # JavaScript, not shell
    "$node" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
      fail "$node is too old; the agent needs Node 20.19 or newer"
    require_path node "$node"
    platform=node
    # Built into the programs; older versions of Node ignore both and use NODE_EXTRA_CA_CERTS.
    export NODE_USE_SYSTEM_CA=1 NODE_USE_ENV_PROXY=1
    [ -n "$(field node 2)" ] || fail "the server has no program for this machine ($os $(uname -m))"
  fi
  starter=${node:+$node }
}

# field PLATFORM NUMBER: a column of the platform's line.
field() {
  printf '%s\n' "$PROGRAMS" | while read -r name file packed plain bytes; do
    [ "$name" = "$1" ] || continue
    case $2 in
      2) printf '%s' "$file" ;;
      3) printf '%s' "$packed" ;;
      4) printf '%s' "$plain" ;;
      5) printf '%s' "$bytes" ;;
    esac
  done
}

# take URL FILE: one attempt with a time limit, without following redirects.
take() {
  if have curl; then
    curl --proto "=${SERVER%%:*}" --tlsv1.2 --fail --silent --show-error --connect-timeout 20 --max-time "$MAX_SECONDS" \
      --continue-at - --output "$2" "$1"
  else
    timeout "$MAX_SECONDS" wget -q --max-redirect=0 --tries=1 --timeout=60 -O "$2" "$1"
  fi
}

# fetch PATH FILE BYTES: downloads at most BYTES from the server; resumes an interrupted download.
fetch() {
  have curl || { have timeout && have wget && wget --version 2>&1 | grep -q GNU; } ||
    fail "curl, or GNU wget with timeout, is needed"
  attempt=1
  # Limits the file's size while it is written, in blocks of 512 bytes (1,024 in some shells).
  until (ulimit -f $(($3 / 512 + 1)) && take "$SERVER$1" "$2"); do
    [ ! -f "$2" ] || [ "$(wc -c <"$2")" -le "$3" ] || fail "$SERVER$1 sends more than the server described"
    [ "$attempt" -lt 4 ] || fail "$SERVER$1 cannot be downloaded"
    attempt=$((attempt + 1))
    sleep 2
  done
}

sha256() {
  if have sha256sum; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif have shasum; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  else
    openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
  fi
}

# Requires a folder of our own: a link, or another owner, could change the programs in it.
own_folder() {
  [ ! -L "$1" ] || fail "$1 is a link; nothing was changed"
  [ -d "$1" ] || mkdir -p "$1"
  owner=$(find "$1" -prune -exec ls -ldn {} \; | awk '{ print $3 }')
  [ "$owner" = "$(id -u)" ] || [ "$2" = service ] || fail "$1 belongs to another user; nothing was changed"
  chmod "$3" "$1"
}

# run FILE …: runs the agent with these arguments.
run() { if [ -n "$node" ]; then "$node" "$@"; else "$@"; fi; }

# Same, as the service's user: root must not open files in a folder that another user owns.
run_as_agent() {
  if [ "$service" = no ] || [ "$os" = darwin ]; then run "$@"; return; fi
  if [ -n "$node" ]; then set -- "$node" "$@"; fi
  runuser -u trailmark-agent -- "$@"
}

# Installs this version's program with a rename, so that its path always has a complete program.
place_program() {
  wanted=$(field "$platform" 4)
  if [ -f "$program" ] && [ "$(sha256 "$program")" = "$wanted" ]; then
    say "The agent $VERSION is here already."
    return
  fi
  say "Downloading the agent $VERSION for $platform."
  work=$(mktemp -d "$dir/.new.XXXXXX")
  fetch "/agent/$(field "$platform" 2)" "$work/packed" "$(field "$platform" 5)"
  [ "$(sha256 "$work/packed")" = "$(field "$platform" 3)" ] ||
    fail "the download is not what the server described; nothing was changed"
  gzip -dc <"$work/packed" >"$work/agent" || fail "the download cannot be unpacked; nothing was changed"
  [ "$(sha256 "$work/agent")" = "$wanted" ] || fail "the program is not what the server described; nothing was changed"
  chmod 755 "$work/agent"
  run "$work/agent" --version >/dev/null ||
    fail "the program does not run on this machine; nothing was changed"
  fetch /agent/install.sh "$work/install.sh" "$MAX_SCRIPT_BYTES"
  grep -v "^SELF='" "$work/install.sh" >"$work/self" || :
  [ "$(sha256 "$work/self")" = "$SELF" ] ||
    fail "this script is not what the server described; run it again. Nothing was changed"
  chmod 755 "$work/install.sh"
  mv -f "$work/agent" "$program"
  mv -f "$work/install.sh" "$dir/install.sh"
  changed=yes
}

clean_up() {
  [ -z "$work" ] || rm -rf "$work"
  [ -z "$silenced" ] || stty echo </dev/tty
}

is_enrolled() { [ -f "$state/state.json" ] && grep -q '"token"' "$state/state.json"; }

# Sets key. Never passed as a program's argument, and its variable is hidden from the programs that we start.
read_key() {
  key=${TRAILMARK_ENROLLMENT_KEY:-}
  unset TRAILMARK_ENROLLMENT_KEY
  [ "$update" = no ] || return 0
  if [ -z "$key" ] && [ ! -t 0 ]; then read -r key || :; fi
  if [ -z "$key" ] && ! is_enrolled && (: </dev/tty) 2>/dev/null; then
    printf 'Enrollment key: ' >/dev/tty
    silenced=yes
    stty -echo </dev/tty
    read -r key </dev/tty || :
    stty echo </dev/tty
    silenced=
    printf '\n' >/dev/tty
  fi
  case $key in
    '' | tme_*) ;;
    *) fail "this is not an enrollment key: it begins with tme_" ;;
  esac
}

enroll() {
  if [ -z "$key" ]; then
    is_enrolled || fail "this machine is not enrolled: give the enrollment key on standard input"
    return
  fi
  set -- --url "$SERVER" --state-dir "$state" --enroll --enrollment-key-file -
  [ -z "$source_system" ] || set -- "$@" --source-system "$source_system" --source-device-id "$source_id"
  # printf is built into the shell, so the key is in no process's arguments.
  printf '%s\n' "$key" | run_as_agent "$program" "$@" || fail "this machine was not enrolled; see above"
  key=
}

systemd_unit() {
  cat <<UNIT
[Unit]
Description=Trailmark agent
Documentation=$SERVER/docs
Wants=network-online.target
After=network-online.target

[Service]
# A start that the sandbox or the program's file prevents is one that failed.
Type=exec
ExecStart=$starter$program --state-dir $state
${node:+Environment=NODE_USE_SYSTEM_CA=1 NODE_USE_ENV_PROXY=1}
# The proxy, where there is one (https_proxy, no_proxy).
EnvironmentFile=-$dir/environment
User=trailmark-agent
Restart=on-failure
RestartSec=10
# 2 is wrong usage, 3 that the server turned this agent away: trying again would change neither.
RestartPreventExitStatus=2 3
UMask=0077
# It reads every log, and writes nothing but its own state.
AmbientCapabilities=CAP_DAC_READ_SEARCH
CapabilityBoundingSet=CAP_DAC_READ_SEARCH
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=$state
ProtectHome=yes
InaccessiblePaths=-/etc/shadow -/etc/gshadow -/etc/ssh
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
UNIT
}

launchd_job() {
  cat <<JOB
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>com.trailmark.agent</string>
  <key>ProgramArguments</key>
  <array>
    ${node:+<string>$node</string>}
    <string>$program</string>
    <string>--state-dir</string>
    <string>$state</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>NODE_USE_SYSTEM_CA</key><string>1</string><key>NODE_USE_ENV_PROXY</key><string>1</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
JOB
}

# write_file PATH: replaces the file with standard input in one step, readable by all.
write_file() {
  cat >"$1.new"
  chmod 644 "$1.new"
  if [ -f "$1" ] && cmp -s "$1.new" "$1"; then rm "$1.new"; else
    mv -f "$1.new" "$1"
    changed=yes
  fi
}

# Saves the proxy for the service, which does not inherit this script's variables. Readable only by root: a proxy's
# address may contain a password.
keep_proxy() {
  proxy=${https_proxy:-${HTTPS_PROXY:-}}
  [ -n "$proxy" ] || return 0
  direct=${no_proxy:-${NO_PROXY:-}}
  case $proxy$direct in
    *[!A-Za-z0-9:/.,@%_~*+=\[\]-]*) fail "https_proxy or no_proxy has characters that a service file cannot hold" ;;
  esac
  printf 'https_proxy=%s\nno_proxy=%s\n' "$proxy" "$direct" >"$dir/environment.new"
  if cmp -s "$dir/environment.new" "$dir/environment"; then rm "$dir/environment.new"; else
    mv -f "$dir/environment.new" "$dir/environment"
    changed=yes
  fi
}

# Creates the service's user, who owns only the state.
make_user() {
  id -u trailmark-agent >/dev/null 2>&1 ||
    useradd --system --no-create-home --home-dir "$state" --shell /usr/sbin/nologin trailmark-agent
  chown trailmark-agent "$state"
}

start_service() {
  if [ "$os" = darwin ]; then
    launchd_job | write_file "$units/com.trailmark.agent.plist"
    launchctl bootout system/com.trailmark.agent 2>/dev/null || :
    launchctl bootstrap system "$units/com.trailmark.agent.plist"
    return
  fi
  keep_proxy
  systemd_unit >"$dir/.unit"
  write_file "$units/trailmark-agent.service" <"$dir/.unit"
  rm "$dir/.unit"
  systemctl daemon-reload
  systemctl enable --quiet trailmark-agent
  how=start
  [ "$changed" = no ] || how=restart
  if ! systemctl "$how" trailmark-agent || ! sleep 2 || ! systemctl is-active --quiet trailmark-agent; then
    fail "the service does not run; this says why: systemctl status trailmark-agent"
  fi
}

require_service() {
  [ "$(id -u)" = 0 ] || fail "a service is installed by root (sudo); --no-service needs no root"
  if [ "$os" = darwin ]; then
    have launchctl || fail "there is no launchd here; --no-service leaves the starting to you"
  else
    systemctl show-environment >/dev/null 2>&1 || fail "there is no systemd here; --no-service leaves the starting to you"
  fi
}

uninstall() {
  if [ ! -e "$dir" ] && [ ! -e "$state" ]; then
    say "There is no agent here: neither $dir nor $state."
    return
  fi
  if [ -f "$units/trailmark-agent.service" ]; then
    systemctl disable --quiet --now trailmark-agent || :
    rm -f "$units/trailmark-agent.service"
    systemctl daemon-reload || :
  fi
  if [ -f "$units/com.trailmark.agent.plist" ]; then
    launchctl bootout system/com.trailmark.agent 2>/dev/null || :
    rm -f "$units/com.trailmark.agent.plist"
  fi
  # Files by name, and folders only if empty: --dir may be a folder with other files.
  rm -f "$program" "$dir/install.sh" "$dir/.unit" "$dir/environment" "$state/state.json" "$state/state.json.new"
  for folder in "$dir" "$state"; do [ ! -d "$folder" ] || rmdir "$folder" 2>/dev/null || say "$folder is not empty and stays."; done
  if [ "$service" = yes ] && [ "$os" = linux ] && id -u trailmark-agent >/dev/null 2>&1; then userdel trailmark-agent; fi
  say "The agent is removed. What it sent stays on the server; an administrator revokes it on the device's page."
}

defaults() {
  case $(uname -s) in
    Linux) os=linux state=/var/lib/trailmark-agent units=/etc/systemd/system ;;
    Darwin) os=darwin state=/var/db/trailmark-agent units=/Library/LaunchDaemons ;;
    *) fail "$(uname -s) is not known to this script; see docs/agents.md for an agent of your own" ;;
  esac
  dir=/opt/trailmark-agent
  service=yes uninstall=no update=no loopback_http=no changed=no
  source_system='' source_id='' work='' silenced='' node='' starter='' key=''
}

# Requires a plain absolute path, because service files contain it unquoted.
require_path() {
  case $2 in
    *[!A-Za-z0-9/._-]* | *..*) fail "$1: $2 has characters that a service file cannot hold" ;;
    /?*) ;;
    *) fail "$1: $2 is no absolute path" ;;
  esac
}

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --uninstall) uninstall=yes ;;
      --update) update=yes ;;
      --no-service) service=no ;;
      --allow-loopback-http) loopback_http=yes ;;
      --dir | --state-dir | --unit-dir | --source-system | --source-device-id)
        [ $# -gt 1 ] || fail "$1 needs a value"
        case $1 in
          --dir) dir=$2 ;;
          --state-dir) state=$2 ;;
          --unit-dir) units=$2 ;;
          --source-system) source_system=$2 ;;
          --source-device-id) source_id=$2 ;;
        esac
        shift
        ;;
      --help)
        usage
        exit 0
        ;;
      *) fail "$1 is not known; --help lists the options" ;;
    esac
    shift
  done
  require_path --dir "$dir"
  require_path --state-dir "$state"
  require_path --unit-dir "$units"
  if [ -n "$source_system$source_id" ] && { [ -z "$source_system" ] || [ -z "$source_id" ]; }; then
    fail "--source-system and --source-device-id go together"
  fi
  program=$dir/trailmark-agent
}

main() {
  set -eu
  umask 077
  defaults
  read_options "$@"
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
  if [ "$uninstall" = yes ]; then
    [ "$service" = no ] || [ "$(id -u)" = 0 ] || fail "a service is removed by root (sudo)"
    uninstall
    return
  fi
  check_server
  [ "$service" = no ] || require_service
  [ "$update" = no ] || [ -f "$program" ] || fail "there is no agent in $dir to update"
  find_platform
  read_key
  own_folder "$dir" "" 755
  own_folder "$state" "$([ "$service" = no ] || echo service)" 700
  place_program
  [ "$service$os" != yeslinux ] || make_user
  enroll
  if [ "$service" = yes ]; then
    start_service
    say "The agent $VERSION runs as a service. To remove it: sudo sh $dir/install.sh --uninstall"
  else
    say "The agent $VERSION is installed. To start it: $starter$program --state-dir $state"
  fi
}

{ main "$@"; }
