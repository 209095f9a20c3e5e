using Ioxide.AspNetCore;

namespace Ioxide.Files;

/// <summary>Queues parts of a response's body by reference.</summary>
internal static class ReferencedBody
{
    /// <summary>Queues the bytes for a stream of <c>Ioxide.Http2</c>, which sends them with the response's end, or by the next flush.</summary>
    /// <returns>False: it is no such stream, or its bytes do not go to the connection as they are.</returns>
    /// <inheritdoc cref="TryWriteAsync"/>
    internal static bool TryWriteToStream(HttpContext context, ReadOnlyMemory<byte> bytes, IDisposable? owner)
        => context.Features.Get<IBodyReferenceFeature>() is { IsOfStream: true } feature
            && feature.TryWrite(context.Response.BodyWriter, bytes, owner, isImmutable: owner is null);

    /// <summary>Queues the bytes, to be sent by the next flush. False: write them as usual.</summary>
    /// <param name="context">The request's.</param>
    /// <param name="bytes">Not empty.</param>
    /// <param name="owner">Disposed when they are sent; null for those of a snapshot, which are never written again.</param>
    /// <remarks>
    /// The response must have begun and have a length: a chunked one has frames between the bytes. Whatever stands in front of the
    /// server (compression, caching) may have taken the length away by now.
    /// </remarks>
    internal static async ValueTask<bool> TryWriteAsync(HttpContext context, ReadOnlyMemory<byte> bytes, IDisposable? owner)
    {
        if (TryWriteToStream(context, bytes, owner))
        {
            return true;
        }

        if (!IsHttp1(context.Request.Protocol) || context.Features.Get<IBodyReferenceFeature>() is not { } feature)
        {
            return false;
        }

        HttpResponse response = context.Response;
        if (!response.HasStarted)
        {
            await response.StartAsync();
        }

        return response.ContentLength is not null && feature.TryWrite(response.BodyWriter, bytes, owner, isImmutable: owner is null);
    }

    private static bool IsHttp1(string protocol) => HttpProtocol.IsHttp11(protocol) || HttpProtocol.IsHttp10(protocol);
}
