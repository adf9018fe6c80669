/// A processor that has a picture not decoded yet decoded no larger than it needs.
///
/// It gets such pictures where it is a request's first.
public protocol DeferredImageProcessing: ImageProcessing {}
