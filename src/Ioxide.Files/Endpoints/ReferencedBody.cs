using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Files;

/// <summary>Queues parts of a response's body by reference.</summary>
internal static class ReferencedBody
{
    /// <summary>Queues the bytes, to be sent by the next flush. False: write them as usual.</summary>
    /// <remarks>
    /// The response must have begun and have a length: a chunked one has frames between the bytes. Whoever stands in front of the
    /// server (compression, caching) may have taken the length away by now.
    /// </remarks>
    internal static async ValueTask<bool> TryWriteAsync(HttpContext context, ReadOnlyMemory<byte> bytes, IDisposable? owner = null)
    {
        if (!IsHttp1(context.Request.Protocol) || context.Features.Get<IBodyReferenceFeature>() is not { } feature)
        {
            return false;
        }

        HttpResponse response = context.Response;
        if (!response.HasStarted)
        {
            await response.StartAsync();
        }

        return response.ContentLength is not null && feature.TryWrite(response.BodyWriter, bytes, owner);
    }

    private static bool IsHttp1(string protocol) => HttpProtocol.IsHttp11(protocol) || HttpProtocol.IsHttp10(protocol);
}
