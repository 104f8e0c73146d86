// libmicrohttpd for Swift: the header and typed wrappers for its variadic functions. No logic.
#ifndef CLOAKROOM_MICROHTTPD_H
#define CLOAKROOM_MICROHTTPD_H

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>

/// Where the library's messages go; lives as long as the daemon.
struct cloakroom_mhd_logger {
    void (*emit)(void *context, const char *message);
    void *context;
};

static void cloakroom_mhd_log(void *logger, const char *format, va_list arguments) {
    struct cloakroom_mhd_logger *target = (struct cloakroom_mhd_logger *)logger;
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    target->emit(target->context, message);
}

/// What a daemon without a listening socket of its own is started with.
struct cloakroom_mhd_options {
    struct cloakroom_mhd_logger *logger;
    void *context;
    MHD_AccessHandlerCallback access;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    size_t memory;
    unsigned int connections;
};

static inline struct MHD_Daemon *cloakroom_mhd_start(const struct cloakroom_mhd_options *options) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG,
        0, NULL, NULL, options->access, options->context,
        MHD_OPTION_EXTERNAL_LOGGER, &cloakroom_mhd_log, options->logger,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->memory,
        MHD_OPTION_CONNECTION_LIMIT, options->connections,
        MHD_OPTION_STRICT_FOR_CLIENT, -1,
        MHD_OPTION_URI_LOG_CALLBACK, options->target, options->context,
        MHD_OPTION_UNESCAPE_CALLBACK, options->unescape, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->connection, options->context,
        MHD_OPTION_END);
}

/// The epoll set of a daemon: readable when `MHD_run` has something to do; or -1.
static inline int cloakroom_mhd_epoll(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

/// 1 if `MHD_run` has something to do that its epoll set does not report.
static inline int cloakroom_mhd_is_due(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG timeout;
    return MHD_get_timeout(daemon, &timeout) == MHD_YES && timeout == 0;
}

/// What the application attached to a connection when it began.
static inline void *cloakroom_mhd_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// Bytes from the method to the end of the empty line; 0 when unknown.
static inline size_t cloakroom_mhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// The socket of a connection, or -1.
static inline int cloakroom_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// Has a response sent without chunks and its connection closed.
static inline void cloakroom_mhd_without_chunks(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

/// The address of the peer, or NULL.
static inline const struct sockaddr *cloakroom_mhd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

#endif
