#if JPEG2000
internal import Raster

/// The memory that OpenJPEG takes for a tile's structures: precincts, code blocks, and the table of packets.
///
/// A header of a few bytes can ask for more of them than there are samples.
struct JPEG2000Memory {
    /// The packets of the tile: one for each precinct, resolution, component and layer.
    private(set) var packetCount = 0
    private(set) var byteCount = 0

    // Sizes in OpenJPEG 2.5, rounded up: a code block and its nodes in two tag trees; a precinct with its trees.
    private static let blockByteCount = 320
    private static let precinctByteCount = 256

    /// Adds up the structures of the tile that covers `tile` of the grid.
    init(_ style: JPEG2000CodingStyle, _ tile: JPEG2000Grid.Area, _ components: [JPEG2000Grid.Component]) {
        var (mostPrecincts, mostLevels) = (0, 0)
        for (index, component) in components.enumerated() {
            guard let style = style[index] else { continue }
            let area = tile.sampled(component.dx, component.dy)
            mostLevels = max(mostLevels, style.levelCount + 1)
            for resolution in 0...style.levelCount {
                let part = area.reduced(style.levelCount - resolution)
                guard !part.x.isEmpty, !part.y.isEmpty else { continue }
                let precinct = style.precincts[resolution]
                let across = Self.count(part.x, exponent: precinct.width)
                let down = Self.count(part.y, exponent: precinct.height)
                let precincts = across.clampedProduct(down)
                mostPrecincts = max(mostPrecincts, precincts)
                packetCount = packetCount.clampedSum(precincts)
                // Beyond the smallest resolution there are three bands of half its size.
                let isBand = resolution > 0
                let width = min(style.blockWidth, precinct.width - (isBand ? 1 : 0))
                let height = min(style.blockHeight, precinct.height - (isBand ? 1 : 0))
                func blocks(_ range: Range<Int>, _ exponent: Int, _ precincts: Int) -> Int {
                    ((isBand ? range.count / 2 + 1 : range.count) >> max(0, exponent)) + 1 + precincts
                }
                let grid = blocks(part.x, width, across).clampedProduct(blocks(part.y, height, down))
                byteCount = byteCount.clampedSum(
                    grid.clampedProduct(Self.blockByteCount).clampedSum(
                        precincts.clampedProduct(Self.precinctByteCount)
                    )
                    .clampedProduct(isBand ? 3 : 1))
            }
        }
        packetCount = packetCount.clampedProduct(style.layerCount)
        // Two bytes for each layer, resolution, component and precinct, as many of each as there are at most.
        let table = (style.layerCount + 1).clampedProduct(mostLevels).clampedProduct(components.count)
            .clampedProduct(mostPrecincts).clampedProduct(2)
        byteCount = byteCount.clampedSum(table)
    }

    /// The number of precincts that a range touches.
    private static func count(_ range: Range<Int>, exponent: Int) -> Int {
        (range.upperBound - 1) >> exponent - range.lowerBound >> exponent + 1
    }
}

extension Int {
    /// The product of two numbers that aren't negative, at most `Int.max`.
    fileprivate func clampedProduct(_ other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }

    /// The sum of two numbers that aren't negative, at most `Int.max`.
    fileprivate func clampedSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
#endif
