"""The paper's numbers, checked by hand against its text."""

from fheasible.studies.seal_vs_openfhe.printed import DEPTHS, PUBLISHED, column, ring, said


def test_table_2_has_a_ring_for_each_depth_of_each_column() -> None:
    keys = [key for key in PUBLISHED if key.startswith("table2.")]
    assert len(keys) == 4 * len(DEPTHS) == 76
    assert [ring("seal", "bgv", d) for d in (2, 3, 6, 7, 12, 13)] == [2**k for k in (12, 13, 13, 14, 14, 15)]
    assert [ring("seal", "ckks", d) for d in (3, 4, 8, 9)] == [2**k for k in (13, 14, 14, 15)]
    assert [ring("openfhe", "bgv", d) for d in (2, 12, 13, 20)] == [2**k for k in (14, 14, 15, 15)]
    assert [ring("openfhe", "ckks", d) for d in (4, 5, 10, 11)] == [2**k for k in (14, 15, 15, 16)]


def test_no_column_falls_with_depth() -> None:
    for library in ("seal", "openfhe"):
        for scheme in ("bgv", "ckks"):
            found = column(library, scheme)
            assert list(found) == sorted(found)


def test_the_values_of_the_text_are_all_there() -> None:
    told = {key: n.value for key, n in PUBLISHED.items() if not key.startswith("table2.")}
    assert sorted(told.values()) == sorted(
        [182, 4, 7, 690, 715, 240, 530, 7, 300, 12, 850, 400, 1200, 800, 0.5, 5, 2]
    )
    assert said("figure4.openfhe.300") == "240 MB (Figure 4 (Section 5.1))"


def test_what_does_not_add_up_is_remarked() -> None:
    for key in ("table2.seal.bgv.7", "section5.seal.windows.transition", "figure7.seal.windows.20"):
        assert PUBLISHED[key].remark
