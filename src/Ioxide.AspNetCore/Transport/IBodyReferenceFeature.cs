using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore;

/// <summary>
/// Sends response bodies that lie in memory already without copying them; a feature of the connection and of each of its
/// requests where the connection is on a reactor.
/// </summary>
/// <remarks>
/// Unless it is of one stream: only for HTTP/1 responses that have started and have a Content-Length. A chunked body has frames of its own between
/// the bytes, and Kestrel would keep the offered memory as room for them. Not public, because only the caller can ensure that.
/// </remarks>
internal interface IBodyReferenceFeature
{
    /// <summary>It is of one request of <c>Ioxide.Http2</c>, which frames the memory itself. Otherwise it is of the connection.</summary>
    bool IsOfStream { get; }

    /// <summary>Queues memory behind what the response has written, by reference.</summary>
    /// <param name="body">The response's <c>BodyWriter</c>. The next flush sends the memory.</param>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">
    /// Disposed once: on the reactor when the kernel no longer reads the memory, also when the connection breaks; before the call
    /// returns where TLS has encrypted it; on any thread where a stream drops it unsent. Null for memory that stays as long as something refers to
    /// it, such as arrays.
    /// </param>
    /// <param name="isImmutable">The memory is never written again and in the end unmapped: large ones are sent by their pages.</param>
    /// <returns>
    /// False where bytes do not go to the connection as they are (compression, a pipe in front): write them as usual; the
    /// owner is not disposed then.
    /// </returns>
    /// <remarks>Threads: the writer's.</remarks>
    bool TryWrite(PipeWriter body, ReadOnlyMemory<byte> memory, IDisposable? owner = null, bool isImmutable = false);

    /// <summary>Flushes the response behind that memory: the client has as long for it as <c>MinResponseDataRate</c> says.</summary>
    /// <param name="context">The request's.</param>
    /// <param name="bytes">The length of what was written by reference since the last flush.</param>
    /// <remarks>Threads: the writer's.</remarks>
    ValueTask<FlushResult> FlushAsync(HttpContext context, int bytes) => context.Response.BodyWriter.FlushAsync();
}
