import Tessera
import TestSupport
import Testing

/// The sheet that shows every effect.
@Suite("tessera effect: the contact sheet")
struct EffectDemoTests {
    @Test("A contact sheet is written")
    func writesASheetOfManyPictures() throws {
        let folder = try TemporaryFolder()
        let outcome = try Command.run("effect", "--demo", "sheet", in: folder)
        #expect(outcome.status == 0 && outcome.text == "The sheet is sheet/effects.png.\n", "\(outcome.errors)")
        let sheet = try ImageSource.decode(folder.read("sheet/effects.png"))
        #expect(sheet.error == nil && !sheet.header.hasAlpha)
        #expect(sheet.bitmap.width > 1000 && sheet.bitmap.height > 1000)
        let again = try Command.run("effect", "--demo", "sheet", in: folder)
        #expect(again.status == 1 && again.errors.contains("exists already; --force replaces it"))
    }
}
