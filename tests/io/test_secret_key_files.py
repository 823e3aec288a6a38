"""Keys in files of their own."""

import stat

import pytest

from policy_sim.errors import InputError, OutputError, SourceError
from policy_sim.io.secret_key_files import make_key, read_key


def test_a_new_key_is_read_by_its_owner_alone(tmp_path):
    path = tmp_path / "release.key"
    key = make_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_key(path).fingerprint == key.fingerprint
    assert [each.name for each in tmp_path.iterdir()] == ["release.key"]


def test_no_key_is_overwritten(tmp_path):
    path = tmp_path / "release.key"
    before = make_key(path).fingerprint
    with pytest.raises(OutputError, match="File exists"):
        make_key(path)
    assert read_key(path).fingerprint == before
    assert len([*tmp_path.iterdir()]) == 1


def test_a_key_that_others_may_read_is_refused(tmp_path):
    path = tmp_path / "release.key"
    make_key(path)
    path.chmod(0o640)
    with pytest.raises(InputError, match="mode to 600"):
        read_key(path)


@pytest.mark.parametrize("content", ["", "secret", "ab" * 31, "zz" * 32])
def test_what_is_no_key_is_refused_and_not_quoted(tmp_path, content):
    path = tmp_path / "release.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(InputError, match="64 hexadecimal digits") as raised:
        read_key(path)
    assert not content or content not in str(raised.value)


def test_missing_and_unreadable_keys(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        read_key(tmp_path / "none")
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff")
    path.chmod(0o600)
    with pytest.raises(SourceError, match="not text"):
        read_key(path)
    with pytest.raises(OutputError, match="cannot be written"):
        make_key(tmp_path / "no" / "folder")
