#!/usr/bin/env bash
# Installs the npm packages that build the page of the viewer into viewer/node_modules. Does nothing, quickly, when
# they are those of the lock file. Nothing is installed for the user, and no script of a package runs.
# Without them the program is built without its page, so a failure here is told but ends nothing.
set -euo pipefail

viewer="$(dirname "${BASH_SOURCE[0]}")/../viewer"
installed="$viewer/node_modules/.installed-lock.json"

if cmp --silent "$viewer/package-lock.json" "$installed"; then
  exit 0
fi
if ! command -v npm > /dev/null; then
  echo "npm is missing, so the page of the viewer cannot be built; 'make packages' installs it." >&2
  exit 0
fi
echo "Installing the npm packages of the viewer"
if (cd "$viewer" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error > /dev/null); then
  cp "$viewer/package-lock.json" "$installed"
else
  echo "The npm packages of the viewer cannot be installed; is there a network?" >&2
fi
