/// What came of several conversions.
struct ConversionSummary: Sendable, CustomStringConvertible {
    private(set) var successCount = 0
    private(set) var failureCount = 0
    private var inputByteCount = 0
    private var outputByteCount = 0

    init(failureCount: Int) { self.failureCount = failureCount }

    init(_ result: Conversion.Result) {
        successCount = 1
        inputByteCount = result.inputByteCount
        outputByteCount = result.outputByteCount
    }

    mutating func add(_ other: ConversionSummary) {
        successCount += other.successCount
        failureCount += other.failureCount
        inputByteCount += other.inputByteCount
        outputByteCount += other.outputByteCount
    }

    var description: String {
        var text = "\(successCount) of \(successCount + failureCount) files converted"
        if successCount > 0 { text += ", \(ByteCount(inputByteCount)) to \(ByteCount(outputByteCount))" }
        return failureCount == 0 ? text : text + "; \(failureCount) failed"
    }
}
