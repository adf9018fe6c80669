internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

extension JPEGTranscoder {
    /// Reads the coefficients for a run with `options` on several threads; none of images for which libjpeg has to.
    func readInSlices(_ options: tessera_jpeg_transcoding) throws(ImageError) {
        let threadCount = JPEGSlices.threadCount
        guard threadCount > 1, JPEGSlicedRows.sliceWorkByteCount(threadCount) <= limits.maximumWorkingByteCount,
            size.pixelCount >= JPEGSlices.leastPixelCount, !header.arithmetic, header.precision == 8
        else { return }
        // The bytes stay at their address, unchanged, as long as the transcoder.
        let file = UnsafeRawBufferPointer(bytes).bytes
        let structure = JPEGStructure(of: file)
        guard structure.failure == nil, structure.scanCount == 1, let scan = structure.scans.first,
            let end = scan.endOffset, let frame = structure.frame,
            frame.width == size.width, frame.height == size.height,
            let script = try? JPEGScanScript(structure, head: file, data: file.extracting(first: 0), from: 0),
            let slices = JPEGSlicedScan(
                script, neededCounts: script.layout.components.map { _ in 64 },
                sliceCount: JPEGSlicedRows.sliceCount(threadCount),
                sliceByteCount: JPEGSlicedRows.sliceByteCount)
        else { return }
        var options = options
        try handle.check(tessera_jpeg_transcoder_make_room(handle.pointer, &options))
        let data = file.extracting(scan.dataOffset..<end)
        let places = slices.places(of: JPEGPixelRows.mcusAtOnce)
        var (rowCount, known, sliceCount) = (0, 0, 0)
        var (strips, pieces): ([CoefficientStrip], Int) = ([], 0)
        var failure: ImageError?
        // The rows of the batch before are written while the next batch is read.
        Rounds.perform(threadCount: threadCount) {
            if sliceCount > 0 { slices.join() }
            rowCount = known
            slices.drop(before: rowCount * slices.layout.mcusAcross)
            known = slices.mcuCount / slices.layout.mcusAcross
            sliceCount =
                known < slices.layout.mcusDown && !slices.isDamaged ? slices.prepare(data, isFinished: true) ?? 0 : 0
            do throws(ImageError) {
                strips = try self.strips(of: rowCount..<known, slices.layout)
            } catch {
                failure = error
                return nil
            }
            pieces = min(2 * threadCount, strips.count)
            return sliceCount + pieces > 0 ? sliceCount + pieces : nil
        } _: { index in
            guard index >= sliceCount else { return slices.read(index) }
            let piece = index - sliceCount
            for strip in strips[(strips.count * piece / pieces)..<(strips.count * (piece + 1) / pieces)] {
                strip.write(slices, to: places)
            }
        }
        if let failure { throw failure }
        if rowCount < slices.layout.mcusDown { try handle.check(tessera_jpeg_transcoder_drop_room(handle.pointer)) }
    }

    /// Where libjpeg has the blocks of rows of MCUs, each row's lines of one component after another's.
    private func strips(
        of rows: Range<Int>, _ layout: JPEGCoefficientLayout
    ) throws(ImageError) -> [CoefficientStrip] {
        var strips: [CoefficientStrip] = []
        for row in rows {
            var lines: [UnsafeMutablePointer<Int16>] = []
            for (index, component) in layout.components.enumerated() {
                for line in 0..<component.down {
                    let blocks = tessera_jpeg_transcoder_row(
                        handle.pointer, Int32(index), UInt32(row * component.down + line))
                    guard let blocks else { throw ImageError(.outOfMemory, "no memory for the JPEG's coefficients") }
                    lines.append(blocks)
                }
            }
            strips.append(CoefficientStrip(row: row, lines: lines))
        }
        return strips
    }
}

/// A row of MCUs, and where its coefficients go.
///
/// Unchecked: the lines are the row's own, and one thread writes a row.
private struct CoefficientStrip: @unchecked Sendable {
    let row: Int
    let lines: [UnsafeMutablePointer<Int16>]

    /// Writes the row, which is known.
    /// - Parameter places: Those of `JPEGPixelRows.mcusAtOnce` MCUs.
    func write(_ slices: JPEGSlicedScan, to places: JPEGSlicedScan.Places) {
        let (layout, mcusAtOnce) = (slices.layout, JPEGPixelRows.mcusAtOnce)
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: places.layout.coefficientCount) { coefficients in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: places.layout.blockCount) { masks in
                let first = row * layout.mcusAcross
                for column in stride(from: 0, to: layout.mcusAcross, by: mcusAtOnce) {
                    let count = min(mcusAtOnce, layout.mcusAcross - column)
                    // Both have room for the places of `mcusAtOnce` MCUs.
                    slices.expand(
                        (first + column)..<(first + column + count), to: places, coefficients.baseAddress!,
                        masks.baseAddress!)
                    var number = 0
                    for component in places.layout.components {
                        for line in 0..<component.down {
                            let block = component.start + line * component.stride
                            // A line has room for whole MCUs.
                            (lines[number] + 64 * column * component.across).update(
                                from: coefficients.baseAddress! + component.place(of: block),
                                count: 64 * count * component.across)
                            number += 1
                        }
                    }
                }
            }
        }
    }
}
