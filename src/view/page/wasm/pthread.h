// SPDX-License-Identifier: MIT
// The page has one thread, which waits for nobody.
#ifndef TACT_PAGE_PTHREAD_H
#define TACT_PAGE_PTHREAD_H

typedef int pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define pthread_mutex_lock(mutex) ((void)(mutex))
#define pthread_mutex_unlock(mutex) ((void)(mutex))

#endif
