# Runs a database server, and ends it and removes its folder when its build is gone,
# however the build ended.
# Usage: sh run-server.sh BUILD_PID BUILD_BORN END_SIGNAL FOLDER DATA_TEMPLATE COMMAND...

build=$1 build_born=$2 end_signal=$3 folder=$4 template=$5
shift 5

# A pid alone would not do: another process may have got it since.
born() {
  { read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 1
  set -- ${stat##*) }
  [ "$1" != Z ] && echo "${20}"
}

alive() {
  [ "$(born "$1")" = "$2" ]
}

guard() {
  while alive "$build" "$build_born" && [ -d "$folder" ]; do
    sleep 0.5
  done
  if alive "$server" "$server_born"; then
    kill -s "$end_signal" "$server"
    kill -s CONT "$server"
    patience=50
    while alive "$server" "$server_born" && [ "$patience" -gt 0 ]; do
      sleep 0.1
      patience=$((patience - 1))
    done
    alive "$server" "$server_born" && kill -s KILL "$server"
  fi
  # A copy that was under way may still have added a file.
  rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }
  rmdir "${folder%/*}" 2>/dev/null
}

# The server keeps the pid of this shell, so the guard knows it before there is a server;
# started from a subshell that ends at once, it is no child of the server.
server=$$
server_born=$(born "$server")
(guard &)
[ -d "$folder/data" ] || cp -a "$template" "$folder/data" || exit 1
exec "$@"
