#!/bin/sh
# Run once by the PostgreSQL image on an empty volume: the owner of the database, who is no superuser.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --set password="$(cat /run/secrets/owner-password)" <<'SQL'
CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE trailmark OWNER trailmark_owner ENCODING 'UTF8' TEMPLATE template0;
SQL
