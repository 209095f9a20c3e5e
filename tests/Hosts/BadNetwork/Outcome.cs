using System.Data.Common;
using System.Net.Sockets;
using Microsoft.AspNetCore.Http;

namespace Ioxide.BadNetworkHost;

/// <summary>How an operation ended, in words that are the same for both sides where an application can tell no difference.</summary>
internal static class Outcome
{
    internal const string Whole = "whole";

    /// <summary>The types of an exception and of those inside, as far as they are public, with what an application decides by.</summary>
    internal static string Of(Exception exception) => exception switch
    {
        DbException database => Of(database),
        BadHttpRequestException bad => $"BadHttpRequestException({bad.StatusCode})",
        // What is inside of a request that a time-out cancelled is a matter of time, on sockets too.
        TaskCanceledException { InnerException: TimeoutException } => "TaskCanceledException > TimeoutException",
        HttpRequestException { InnerException: { } inner } request => $"HttpRequestException({request.HttpRequestError}) > {Of(inner)}",
        HttpIOException io => $"HttpIOException({io.HttpRequestError})",
        SocketException socket => $"SocketException({socket.SocketErrorCode})",
        { InnerException: { } inner } when inner.GetType().IsPublic => $"{exception.GetType().Name} > {Of(inner)}",
        _ => exception.GetType().Name,
    };

    /// <summary>Both drivers have types of their own; what they share is what ADO.NET says and whether time ran out.</summary>
    private static string Of(DbException exception)
    {
        bool isTimeout = false;
        for (Exception? inner = exception; inner is not null; inner = inner.InnerException)
        {
            isTimeout |= inner is TimeoutException;
        }

        string state = exception.SqlState is null ? "" : $", {exception.SqlState}";
        return $"DbException({(exception.IsTransient ? "transient" : "lasting")}{(isTimeout ? ", timeout" : "")}{state})";
    }
}
