public import CTessera
internal import ImageFormats
internal import Raster

// The functions of animations. Their documentation is in tessera.h.

/// The object of a `tessera_animation`.
final class AnimationHandle: Sendable {
    let animation: AnimatedImage

    /// Opens the animation in the file that `handle` was opened from.
    init(_ handle: ImageHandle) throws {
        guard let (place, settings) = handle.origin else {
            throw LibraryFailure.invalid("image was made of pixels, so there is no file to read frames from")
        }
        animation =
            switch place {
            case .path(let path):
                try AnimatedImage(path: path, options: settings.decoding, registry: settings.registry)
            case .source(let source):
                try AnimatedImage(source, options: settings.decoding, registry: settings.registry)
            }
    }
}

/// Opens the animation that an image is the first frame of; a still is one of a single frame.
@c @implementation
public func tessera_animation_open(
    _ image: OpaquePointer?, _ animation: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: animation, name: "animation") {
            try AnimationHandle(HandleTable.shared.object(image, name: "image"))
        }
    }
}

/// Frees the handle.
@c @implementation
public func tessera_animation_free(_ animation: OpaquePointer?) {
    HandleTable.shared.remove(animation, as: AnimationHandle.self)
}

/// Describes an animation.
@c @implementation
public func tessera_animation_describe(
    _ animation: OpaquePointer?, _ info: UnsafeMutablePointer<tessera_animation_info>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let handle: AnimationHandle = try HandleTable.shared.object(animation, name: "animation")
        let animation = handle.animation
        var result = tessera_animation_info()
        (result.width, result.height) = (Int64(animation.size.width), Int64(animation.size.height))
        result.frame_count = Int64(animation.frames.count)
        result.loop_count = Int64(animation.loopCount)
        result.duration = animation.duration
        result.missing = tessera_status(
            animation.error.map { LibraryFailure.status(of: $0.code) } ?? TESSERA_STATUS_OK)
        try CallerStructure.write(result, to: info, name: "info")
    }
}

/// The frame at `index`, from 0, decoded when its pixels are needed.
@c @implementation
public func tessera_animation_frame(
    _ animation: OpaquePointer?, _ index: Int64, _ frame: UnsafeMutablePointer<OpaquePointer?>?,
    _ duration: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        duration?.pointee = 0
        try HandleTable.shared.store(in: frame, name: "frame") {
            let handle: AnimationHandle = try HandleTable.shared.object(animation, name: "animation")
            let frames = handle.animation.frames
            guard index >= 0, index < Int64(frames.count) else {
                throw LibraryFailure.invalid("there is no frame \(index); the animation has \(frames.count)")
            }
            let frame = frames[Int(index)]
            duration?.pointee = frame.duration
            return ImageHandle(frame.image)
        }
    }
}
