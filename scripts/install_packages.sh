#!/usr/bin/env bash
# Installs the packages of packages.txt that are missing. Does nothing, quickly, when none is.
set -euo pipefail

here="$(dirname "${BASH_SOURCE[0]}")"
# The packages of a viewer without Debian's npm are still worth having.
trap '"$here/install_page_packages.sh"' EXIT

wanted=()
while read -r package command; do
  command="${command//[\[\]]/}"
  [[ -n "$command" ]] && command -v "$command" > /dev/null || wanted+=("$package")
done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$here/../packages.txt")

if ! command -v dpkg-query > /dev/null; then
  echo "This is not a Debian system; please install the equivalents of packages.txt yourself." >&2
  exit 0
fi

# dpkg-query fails when it does not know a package; what it does know is still printed.
format='${Package} ${db:Status-Status}\n'
installed="$(dpkg-query --show --showformat "$format" "${wanted[@]}" 2> /dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
  grep --quiet --line-regexp --fixed-strings "$package installed" <<< "$installed" \
    || missing+=("$package")
done

if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

echo "Installing: ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update --quiet --quiet
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install --yes --quiet --quiet --no-install-recommends "${missing[@]}"
