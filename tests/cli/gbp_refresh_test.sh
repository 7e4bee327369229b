#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_refresh: -refresh keeps all data and attributes, changes nothing without --apply, and refuses with a reason when it could not
# keep something.
#
# Left out: interruptions (system/gbp_refresh_crash_test.sh) and the time that a refresh saves (script/bench gbp).
source "$(dirname "$0")/../support/system.bash"
need python3 timeout
need_built gbp
export XDG_DATA_HOME=$SCRATCH/parameters XDG_RUNTIME_DIR=/nonexistent HOME=/nonexistent
readonly MAKER=$SOURCE/tests/support/refresh_crash.py

refresh() { timeout 300 "$BIN/gbp" -refresh "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null; }
unchanged() { # REASON
  python3 "$MAKER" check "$SCRATCH/top" "$SCRATCH/record" || fail "after $1 the directory differs"
  [[ $(ls -A "$SCRATCH/top") == d ]] || fail "after $1 there is still: $(ls -A "$SCRATCH/top")"
}
refused() { # WORDS ARGUMENT...
  local words=$1 status=0
  shift
  refresh "$@" || status=$?
  if [[ $status -ne 1 ]] || ! grep -q -e "$words" "$SCRATCH/err"; then
    fail "gbp -refresh $*: status $status, $(cat "$SCRATCH/err"), not '$words'"
  fi
}

mkdir "$SCRATCH/top"
cd "$SCRATCH"
python3 "$MAKER" make "$SCRATCH/top" "$SCRATCH/record"

# A look changes nothing and reports the state.
refresh top/d || fail "a look ends with status $?: $(cat err)"
[[ $(cat out) == *'score '*'nothing was changed'* ]] || fail "a look says: $(cat out)"
unchanged "a look"

# Everything is kept. Afterwards the inode numbers rise with the size. This also works through a link to the directory.
ln -s top/d shortcut
refresh shortcut --apply --force || fail "--apply ends with status $?: $(cat err)"
unchanged "--apply"
order=$(cd top/d && stat -c '%i %n' a b c | sort -n | awk '{ print $2 }' | tr '\n' ' ')
[[ $order == 'a b c ' ]] || fail "i-numbers do not rise with the size: $order"
# They also rise while another program makes and removes many files beside the directory.
python3 -c 'import os; os.chdir("top")
while True:
    for i in range(500): open(f"churn{i}", "w").close()
    for i in range(500): os.unlink(f"churn{i}")' &
churn=$!
at_exit sh -c "kill $churn 2>/dev/null"
for i in {1..10}; do
  refresh top/d --apply --force || fail "--apply beside others ends with status $?: $(cat err)"
  order=$(cd top/d && stat -c '%i %n' a b c | sort -n | awk '{ print $2 }' | tr '\n' ' ')
  [[ $order == 'a b c ' ]] || fail "beside others i-numbers do not rise with the size: $order"
done
kill "$churn"
wait "$churn" 2>/dev/null || true
rm -f top/churn*
printf 'c\nnot there\na\n' >list
refresh top/d --apply --force --order-from list || fail "--order-from ends with status $?: $(cat err)"
unchanged "--order-from"
[[ $(cd top/d && stat -c '%i %n' c b | sort -n | awk 'NR == 1 { print $2 }') == c ]] || fail "--order-from was not followed"
refresh top/d --resume || fail "--resume of nothing ends with status $?"
refresh top/d --rollback || fail "--rollback of nothing ends with status $?"
unchanged "--rollback of nothing"

# Things that prevent a refresh.
ln top/d/b outside
refused "'b' has a hard link outside" top/d --apply --force
rm outside
exec 7>>top/d/a
refused 'open for writing' top/d --apply --force
exec 7>&-
unchanged "refusals"
refused 'No such file' top/none --apply
refused 'no directory' top/d/a --apply
GRAY_PARAM_DISK_RANDOM_OVER_SEQUENTIAL=5 refused 'seeks cost little' top/d --apply
echo mine >top/.d.gray-journal
refused 'was left by an earlier refresh' top/d --apply --force
refused 'Bad message' top/d --resume
rm top/.d.gray-journal
mkdir top/.d.gray-refresh && echo precious >top/.d.gray-refresh/file
refused 'not empty' top/d --apply --force
refused 'not empty' top/d --rollback
[[ $(cat top/.d.gray-refresh/file) == precious ]] || fail "somebody's file was removed"
rm -r top/.d.gray-refresh
unchanged "all refusals"

[[ $EUID -eq 0 ]] || skip "checked all but flags and mounts, which need root"
need chattr
if chattr +i top/d/b 2>"$SCRATCH/err"; then
  refused "'b' is immutable" top/d --apply --force
  chattr -i top/d/b
fi
if chattr +d top/d/b 2>"$SCRATCH/err"; then
  refresh top/d --apply --force || fail "a file with a flag: $(cat err)"
  [[ $(lsattr top/d/b | cut -d' ' -f1) == *d* ]] || fail "a flag is lost: $(lsattr top/d/b)"
fi
mount -t tmpfs tmpfs top/d/sub
at_exit sh -c "! mountpoint -q '$SCRATCH/top/d/sub' || umount '$SCRATCH/top/d/sub'"
refused 'mount point' top/d --apply --force
umount top/d/sub
unchanged "refusals to root"
