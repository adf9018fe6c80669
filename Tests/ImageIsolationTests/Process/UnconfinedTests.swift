import ImageFormats
import ImageFormatsTestSupport
import ImageIsolation
import Raster
import TestSupport
import Testing

/// Who wants isolation and can't have it isn't given less.
@Suite("Systems without confinement", .enabled(if: SystemForms.arePOSIX, "this system can"))
struct UnconfinedTests {
    @Test("Nothing is decoded")
    func refused() throws {
        let file = try ImageDestination(format: .png).encode(.grainy(PixelSize(width: 9, height: 7)))
        #expect(errorCode { try IsolatedDecoding() } == .unsupported)
        let isolation = IsolatedDecoding(worker: "/bin/true")
        #expect(errorCode { try ImageSource.decode(file, registry: isolation.registry).bitmap } == .unsupported)
        #expect(isolation.startedWorkerCount == 0)
    }
}
