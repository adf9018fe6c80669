#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CTesseraShim.h"

#if defined(__linux__) && defined(__GLIBC__)

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static ssize_t discard(void *cookie, const char *bytes, size_t length) {
    (void)cookie, (void)bytes;
    return (ssize_t)length;
}

/// A stream to nowhere, in the place of `stderr`.
static FILE *silent;

/// A dynamic section's address: the loader has already added where the library is loaded, or hasn't.
static const void *located(ElfW(Addr) address, ElfW(Addr) base) {
    return (const void *)(address < base ? address + base : address);
}

/// Writes to a slot that the loader has made read-only after it filled it.
static void replace(void **slot, const struct dl_phdr_info *library) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < library->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[index];
        uintptr_t start = library->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_GNU_RELRO || (uintptr_t)slot < start || (uintptr_t)slot >= start + segment->p_memsz)
            continue;
        void *first = (void *)((uintptr_t)slot / page * page);
        if (mprotect(first, page, PROT_READ | PROT_WRITE) != 0)
            return;
        *slot = &silent;
        mprotect(first, page, PROT_READ);
        return;
    }
    *slot = &silent;
}

static int visit(struct dl_phdr_info *library, size_t size, void *name) {
    (void)size;
    const char *file = library->dlpi_name ? strrchr(library->dlpi_name, '/') : NULL;
    file = file ? file + 1 : library->dlpi_name;
    if (!file || strncmp(file, name, strlen(name)) != 0)
        return 0;
    const ElfW(Dyn) *entry = NULL;
    for (int index = 0; index < library->dlpi_phnum; index++)
        if (library->dlpi_phdr[index].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(library->dlpi_addr + library->dlpi_phdr[index].p_vaddr);
    const ElfW(Rela) *relocations = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    size_t count = 0;
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_RELA)
            relocations = located(entry->d_un.d_ptr, library->dlpi_addr);
        else if (entry->d_tag == DT_RELASZ)
            count = entry->d_un.d_val / sizeof *relocations;
        else if (entry->d_tag == DT_SYMTAB)
            symbols = located(entry->d_un.d_ptr, library->dlpi_addr);
        else if (entry->d_tag == DT_STRTAB)
            strings = located(entry->d_un.d_ptr, library->dlpi_addr);
    }
    for (size_t index = 0; relocations && symbols && strings && index < count; index++) {
        // The symbol's number is in the upper half of a 64-bit entry.
        uint64_t number = relocations[index].r_info >> (sizeof(void *) == 8 ? 32 : 8);
        if (number == 0 || strcmp(strings + symbols[number].st_name, "stderr") != 0)
            continue;
        void **slot = (void **)(library->dlpi_addr + relocations[index].r_offset);
        if (*slot == (void *)&stderr)
            replace(slot, library);
    }
    return 1;
}

void tessera_silence(const char *library) {
    if (!silent)
        silent = fopencookie(NULL, "w", (cookie_io_functions_t){.write = discard});
    if (silent)
        dl_iterate_phdr(visit, (void *)library);
}

#else

void tessera_silence(const char *library) {
    (void)library;
}

#endif
