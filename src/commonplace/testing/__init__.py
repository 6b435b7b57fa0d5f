"""What may a canon be asked to prove? Contract tests, small real fakes and strategies, shipped for whoever writes a canon.

    from commonplace.testing.canon_contract import CanonContract

    class TestMyCanon(CanonContract):
        def open_canon(self, where):
            return MyCanon(where / "book")

        def raw(self, where):
            return files_under(where)
"""
