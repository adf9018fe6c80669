package import Raster

extension RequestFailure {
    /// What is said to who asked for a picture that can't be opened.
    package init(opening error: ImageError) {
        switch error.code {
        case .unknownFormat: self.init(404, "this file is no picture that can be read here")
        case .unsupported: self.init(404, "this kind of picture can't be read here")
        case .limitExceeded: self.init(413, "the picture is larger than this server opens")
        case .inputOutput: self.init(500, "the picture can't be read now")
        case .cancelled: self.init(503, "the request was given up", retryAfter: 1)
        case .outOfMemory: self.init(503, "there is no memory for the picture now", retryAfter: 5)
        default: self.init(500, "the picture's file is damaged")
        }
    }

    /// What is said to who asked for something that can't be made of a picture.
    package init(rendering error: ImageError) {
        switch error.code {
        case .invalidParameter: self.init(400, error.message)
        case .limitExceeded: self.init(400, "that is more than this server makes: \(error.message)")
        case .unsupported: self.init(501, error.message)
        default: self.init(opening: error)
        }
    }
}
