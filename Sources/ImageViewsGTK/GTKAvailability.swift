internal import CTesseraGTK

/// Whether widgets can be had: the trait `GTK` was on when this was built, and the library was there.
public let isGTKAvailable = tessera_gtk_available()
