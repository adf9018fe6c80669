// What a worker's program needs of C.
#ifndef CTESSERA_WORKER_H
#define CTESSERA_WORKER_H

/// From now on `open` doesn't ask the system, which would refuse: what lies below /proc is an open file from which
/// nothing can be read, all else isn't there to be opened (EACCES).
///
/// Dispatch looks every second at what its threads do, by the files that the system has on them, and ends the process
/// where it can't open those.
void tessera_open_nothing(void);

#endif
