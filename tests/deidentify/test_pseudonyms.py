"""Keys stay hidden, and pseudonyms are HMAC-SHA-256."""

import copy
import hashlib
import hmac
import pickle
import traceback

import pytest

from policy_sim.deidentify.coded_columns import CodedColumn
from policy_sim.deidentify.pseudonyms import SecretKey, can_be_listed, pseudonym_column
from policy_sim.errors import InputError

BYTES = bytes(range(32))


def test_a_pseudonym_is_the_hmac_of_purpose_and_value():
    column = pseudonym_column(CodedColumn.of(["ab"]), SecretKey(BYTES), "mrn")
    expected = hmac.new(BYTES, b"3:mrn:ab", hashlib.sha256).hexdigest()[:32]
    assert column.values == (expected,)


def test_purposes_keys_and_values_are_apart():
    key, other = SecretKey(BYTES), SecretKey(bytes(32))
    every = {
        key.digest("a", "bc"), key.digest("ab", "c"), key.digest("a", "bd"), other.digest("a", "bc"),
        key.digest("a:b", "c"), key.digest("a", "b:c"),
    }  # fmt: skip
    assert len(every) == 6


def test_the_key_is_in_no_text_and_no_traceback():
    key = SecretKey(BYTES)
    try:
        int(str(key))
    except ValueError:
        said = traceback.format_exc()
    for text in (repr(key), str(key), f"{key!r}", said, key.fingerprint):
        assert BYTES.hex() not in text
        assert repr(BYTES) not in text
    for way in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="not copied"):
            way(key)


def test_new_keys_differ_and_wrong_ones_are_refused():
    assert SecretKey.new().fingerprint != SecretKey.new().fingerprint
    with pytest.raises(InputError, match="32 bytes"):
        SecretKey(b"short")


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (["123-45-6789"], True),
        (["(614) 555-0100"], True),
        (["A17", "B2"], True),
        (["12345678901234"], False),
        (["Maria Lopez"], False),
        ([], False),
    ],
)
def test_values_that_can_be_tried_one_by_one(values, listed):
    assert can_be_listed(values) is listed
