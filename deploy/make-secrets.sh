#!/bin/sh
# Writes secrets shared by the processes into a folder, once: passwords, database addresses, the signing key.
# Usage: make-secrets.sh FOLDER [DATABASE-HOST]
set -eu
folder=${1:?"Usage: make-secrets.sh FOLDER [DATABASE-HOST]"}
host=${2:-postgres}
if [ -e "$folder/signing-key.pem" ]; then
  echo "$folder has secrets already; remove them yourself to make new ones." >&2
  exit 1
fi
umask 077
mkdir -p "$folder"
chmod 700 "$folder"
for name in postgres-password owner-password nextauth-secret metrics-token grafana-password; do
  openssl rand -hex 32 > "$folder/$name"
done
echo "postgres://trailmark_owner:$(cat "$folder/owner-password")@$host/trailmark" > "$folder/owner-database-url"
echo "postgres://trailmark_app:$(openssl rand -hex 32)@$host/trailmark" > "$folder/database-url"
echo "postgres://trailmark_audit_admin:$(openssl rand -hex 32)@$host/trailmark" > "$folder/audit-admin-database-url"
openssl genpkey -algorithm ed25519 > "$folder/signing-key.pem"
# The folder is closed; a container's user reads the files through the mount.
chmod 444 "$folder"/*
