/// A picture that a job made, or a preview of it, and how.
struct ImageOutput: Sendable {
    var container: ImageContainer
    var urlResponse: DataResponse?
    var source: ImageResponse.Source
    /// Whether some of the work had been begun for somebody else.
    var isJoined = false
    var stages: [ImageTaskMetrics.Stage] = []
    var byteCount = 0
}
