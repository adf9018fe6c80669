extension JPEGEighthScan {
    /// The picture, from data that begins with the scan's entropy-coded data; nil where that isn't as it should be.
    ///
    /// Takes time proportional to the bytes of the scan. What follows the scan's last block isn't looked at.
    package func decode(_ data: RawSpan) -> JPEGEighthPicture? {
        var picture = shape
        picture.samples = [UInt8](repeating: 0, count: byteCount)
        var target = picture.samples.mutableSpan
        var blocks = JPEGEighthBlocks(self, data: data)
        let (components, tables) = (components.span, tables)
        var predictions: InlineArray<3, Int> = .init(repeating: 0)
        var (untilRestart, restarts) = (restartInterval, 0)
        for row in 0..<mcusDown {
            for column in 0..<mcusAcross {
                if restartInterval > 0 {
                    if untilRestart == 0 {
                        guard blocks.reader.restart(restarts & 7) else { return nil }
                        restarts += 1
                        untilRestart = restartInterval
                        predictions = .init(repeating: 0)
                    }
                    untilRestart -= 1
                }
                for index in 0..<components.count {
                    let component = components[index]
                    var place = component.offset
                    place += row * component.down * component.side * component.stride
                    place += column * component.across * component.side
                    let isDone =
                        component.side == 1
                        ? blocks.readMeans(index, component, tables, &predictions[index], into: &target, at: place)
                        : blocks.readQuarters(index, component, tables, &predictions[index], into: &target, at: place)
                    guard isDone else { return nil }
                }
                guard blocks.reader.count >= 0 else { return nil }
            }
        }
        return picture
    }
}
