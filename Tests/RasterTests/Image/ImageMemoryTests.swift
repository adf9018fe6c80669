import Raster
import Synchronization
import Testing

/// In a process of its own: dropping pixels is felt by every image there is.
@Suite("Dropping pixels")
struct ImageMemoryTests {
    private struct Provider: BitmapProvider {
        let info = BitmapInfo(size: PixelSize(width: 8, height: 8), format: .rgba8)

        func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap { try MutableBitmap(info).freeze() }
    }

    private final class Holder: DecodedPixelHolder {
        static let goneCount = Atomic(0)
        let dropCount = Atomic(0)
        deinit { Self.goneCount.add(1, ordering: .relaxed) }
        func removeDecodedPixels() { dropCount.add(1, ordering: .relaxed) }
    }

    @Test("All deferred pixels are dropped and decoded again")
    func allDeferredPixelsAreDroppedAndMadeAgain() async {
        await #expect(processExitsWith: .success) {
            let images = (0..<3).map { _ in Image(deferred: Provider()) }
            let finished = Image(try images[0].bitmap())
            for image in images { _ = try image.bitmap() }
            let copy = images[1]
            precondition(copy.isDecoded && images.allSatisfy(\.isDecoded))
            ImageMemory.removeDecodedPixels()
            precondition(!copy.isDecoded && !images.contains(where: \.isDecoded))
            precondition(finished.isDecoded)
            // Again, after the pixels were made again.
            _ = try copy.bitmap()
            precondition(images[1].isDecoded)
            ImageMemory.removeDecodedPixels()
            precondition(!images[1].isDecoded)
        }
    }

    @Test("Deferred images are held weakly")
    func holdersAreHeldWeakly() async {
        await #expect(processExitsWith: .success) {
            var holder: Holder? = Holder()
            let other = Holder()
            ImageMemory.add(holder!)
            ImageMemory.add(other)
            ImageMemory.add(other)
            ImageMemory.removeDecodedPixels()
            precondition(holder!.dropCount.load(ordering: .relaxed) == 1)
            precondition(other.dropCount.load(ordering: .relaxed) == 1)
            holder = nil
            precondition(Holder.goneCount.load(ordering: .relaxed) == 1)
            ImageMemory.removeDecodedPixels()
            ImageMemory.remove(other)
            ImageMemory.removeDecodedPixels()
            precondition(other.dropCount.load(ordering: .relaxed) == 2)
        }
    }

    @Test("Dropping pixels while others decode is safe")
    func droppingWhileOthersDecodeIsSafe() async {
        await #expect(processExitsWith: .success) {
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        for _ in 0..<200 {
                            if index.isMultiple(of: 4) {
                                ImageMemory.removeDecodedPixels()
                            } else {
                                let image = Image(deferred: Provider())
                                precondition((try? image.bitmap())?.size == image.size)
                            }
                        }
                    }
                }
            }
        }
    }
}
