# Redis, PostgreSQL, PgBouncer, MariaDB and a browser for the specs that need them. What answers already is used as it is; what does not is
# started from its Debian package on a free port of the loopback interface, in a temporary directory, until this run ends.

services_dir=$(mktemp --directory)
chmod 711 "$services_dir" # PostgreSQL and MariaDB work in it under users of their own
trap stop_services EXIT

ensure_services() {
  # Some specs start and kill servers of their own, and one pastes a command into a shell.
  ensure_command redis-server
  ensure_command curl
  # The documents show programs in other languages.
  ensure_command python3
  command -v php >/dev/null || install_packages php-cli
  command -v go >/dev/null || install_packages golang-go
  [ -n "$(postgres_programs)" ] || install_packages postgresql
  [ -x /usr/sbin/pgbouncer ] || install_packages pgbouncer
  [ -x /usr/sbin/mariadbd ] || install_packages mariadb-server
  ensure_redis
  ensure_postgres
  ensure_mariadb
  # The shell draws the same pages for a third of the CPU of a whole browser, which may be here as well.
  [ -e "${CHROMIUM_PATH:-}" ] || ensure_command chromium-headless-shell
  export REQUIRE_SERVICES=1 REQUIRE_BROWSER=1
}

ensure_redis() {
  accepts_connections "${REDIS_URL:-redis://127.0.0.1:6379}" && return
  local port
  port=$(free_port)
  echo "No Redis answers: starting one at port $port"
  redis-server --daemonize yes --bind 127.0.0.1 --port "$port" --dir "$services_dir" \
    --pidfile "$services_dir/redis.pid" --logfile "$services_dir/redis.log" --save '' --appendonly no
  export REDIS_URL="redis://127.0.0.1:$port"
  await_connections "$REDIS_URL"
}

ensure_postgres() {
  postgres_lets_in "${DATABASE_URL:-postgres://postgres@127.0.0.1:5432/test}" && return
  local port
  port=$(free_port)
  echo "No PostgreSQL answers: starting one at port $port"
  install --directory --mode 700 "$services_dir/postgres"
  [ "$(id -u)" -ne 0 ] || chown postgres "$services_dir/postgres"
  run_postgres initdb --pgdata "$services_dir/postgres" --username postgres --auth trust --no-sync >/dev/null
  run_postgres pg_ctl start --wait --pgdata "$services_dir/postgres" --log "$services_dir/postgres/log" \
    --options "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" >/dev/null
  run_postgres createdb --host 127.0.0.1 --port "$port" --username postgres test
  export DATABASE_URL="postgres://postgres@127.0.0.1:$port/test"
}

ensure_mariadb() {
  mariadb_lets_in "${MYSQL_URL:-mysql://root@127.0.0.1:3306/test}" && return
  local port data=$services_dir/mariadb
  port=$(free_port)
  echo "No MariaDB answers: starting one at port $port"
  install --directory --mode 700 "$data"
  [ "$(id -u)" -ne 0 ] || chown mysql "$data"
  as_mysql mariadb-install-db --no-defaults --datadir="$data" --auth-root-authentication-method=normal \
    --skip-test-db >/dev/null
  as_mysql /usr/sbin/mariadbd --no-defaults --datadir="$data" --port="$port" --bind-address=127.0.0.1 \
    --socket="$data/socket" --pid-file="$data/pid" --innodb-flush-log-at-trx-commit=2 >"$services_dir/mariadb.log" 2>&1 &
  export MYSQL_URL="mysql://root@127.0.0.1:$port/mysql"
  await_connections "$MYSQL_URL"
}

stop_services() {
  [ ! -e "$services_dir/mariadb/pid" ] || kill "$(cat "$services_dir/mariadb/pid")"
  [ ! -e "$services_dir/redis.pid" ] || kill "$(cat "$services_dir/redis.pid")"
  [ ! -e "$services_dir/postgres/postmaster.pid" ] ||
    run_postgres pg_ctl stop --mode immediate --pgdata "$services_dir/postgres" >/dev/null
  rm -rf "$services_dir"
}

# Debian keeps them out of the PATH, one directory a version.
postgres_programs() {
  find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort --version-sort | tail -n 1
}

# They refuse to work as root.
run_postgres() {
  local program
  program=$(postgres_programs)/$1
  shift
  if [ "$(id -u)" -eq 0 ]; then
    (cd "$services_dir" && runuser --user postgres -- "$program" "$@")
  else
    "$program" "$@"
  fi
}

# It refuses to work as root.
as_mysql() {
  if [ "$(id -u)" -eq 0 ]; then
    (cd "$services_dir" && exec runuser --user mysql -- "$@")
  else
    "$@"
  fi
}

mariadb_lets_in() {
  accepts_connections "$1" || return
  local host port
  read -r host port < <(node -p 'const { hostname, port } = new URL(process.argv[1]); `${hostname} ${port}`' "$1")
  mariadb --no-defaults --host="$host" --port="$port" --user=root --execute='SELECT 1' >/dev/null 2>&1
}

# A server with passwords of its own on the usual port is not ours to use.
postgres_lets_in() {
  accepts_connections "$1" || return
  ! command -v psql >/dev/null || psql --no-password --command 'SELECT 1' "$1" >/dev/null 2>&1
}

accepts_connections() {
  node -e "
    const { hostname, port } = new URL(process.argv[1]);
    const end = (code) => () => process.exit(code);
    require('node:net').connect({ host: hostname, port: Number(port), timeout: 2000 })
      .once('connect', end(0)).once('timeout', end(1)).once('error', end(1));
  " "$1"
}

await_connections() {
  for _ in $(seq 100); do
    accepts_connections "$1" && return
    sleep 0.1
  done
  echo "Nothing answers at $1." >&2
  return 1
}

free_port() {
  node -e "
    const server = require('node:net').createServer();
    server.listen(0, '127.0.0.1', () => server.close(console.log(server.address().port)));
  "
}
