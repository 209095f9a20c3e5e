using Ioxide.AspNetCore;

namespace Ioxide.Files;

/// <summary>Writes bytes of a body: by reference where they go to the connection as they are, otherwise with one copy.</summary>
/// <remarks>
/// A reference needs a response that has begun and has a length: a chunked one has frames between the bytes. Whatever stands in front of the server
/// (compression, caching) may have taken the length away by then. A stream of <c>Ioxide.Http2</c> frames the bytes itself.
/// </remarks>
[ApplicationSide]
internal static class BodyBytes
{
    /// <summary>Copying that much is cheaper than one stretch of memory more in the send.</summary>
    private const int MaxCopiedBytes = 8 * 1024;

    // A stream sends this much with the end of its response. Where that would be more, it waits for the client as with any other body.
    private const int MaxUnflushedBytes = 64 * 1024;

    // A client that reads nothing is cut off when the time for a piece is over, which at Kestrel's lowest rate is an hour and a quarter.
    private const int MaxPieceBytes = 1024 * 1024;

    /// <summary>Writes bytes of a snapshot, which never change. Allocates nothing if it does not have to wait.</summary>
    /// <param name="context">The request's.</param>
    /// <param name="bytes">Not empty. The caller keeps them alive until the task has ended.</param>
    /// <param name="counters">Count what is sent by reference.</param>
    internal static ValueTask<FlushResult> WriteAsync(HttpContext context, ReadOnlyMemory<byte> bytes, FileCounters counters)
    {
        IBodyReferenceFeature? feature = FeatureOf(context, bytes);
        Task starting = StartAsync(context, feature);
        return starting.IsCompletedSuccessfully
            ? WriteStartedAsync(context, feature, bytes, counters)
            : WaitAsync(starting, context, feature, bytes, counters);
    }

    /// <summary>Writes bytes that have an owner.</summary>
    /// <param name="context">The request's.</param>
    /// <param name="bytes">Not empty.</param>
    /// <param name="owner">Disposed when they are sent or copied, whatever happens.</param>
    internal static async ValueTask<FlushResult> WriteAsync(HttpContext context, ReadOnlyMemory<byte> bytes, IDisposable owner)
    {
        bool isHandedOver = false;
        IBodyReferenceFeature? feature = null;
        try
        {
            feature = FeatureOf(context, bytes);
            await StartAsync(context, feature);
            isHandedOver = TryRefer(context, feature, bytes, owner);
            if (!isHandedOver)
            {
                return await context.Response.BodyWriter.WriteAsync(bytes);
            }
        }
        finally
        {
            if (!isHandedOver)
            {
                owner.Dispose();
            }
        }

        return await feature!.FlushAsync(context, bytes.Length);
    }

    private static async ValueTask<FlushResult> WaitAsync(
        Task starting, HttpContext context, IBodyReferenceFeature? feature, ReadOnlyMemory<byte> bytes, FileCounters counters)
    {
        await starting;
        return await WriteStartedAsync(context, feature, bytes, counters);
    }

    private static ValueTask<FlushResult> WriteStartedAsync(
        HttpContext context, IBodyReferenceFeature? feature, ReadOnlyMemory<byte> bytes, FileCounters counters)
    {
        bool isInPieces = feature is { IsOfStream: false } && bytes.Length > MaxPieceBytes;
        ReadOnlyMemory<byte> first = isInPieces ? bytes[..MaxPieceBytes] : bytes;
        if (!TryRefer(context, feature, first, owner: null))
        {
            return context.Response.BodyWriter.WriteAsync(bytes);
        }

        if (bytes.Length > MaxCopiedBytes)
        {
            counters.CountReference();
        }

        return isInPieces ? FlushInPiecesAsync(context, feature!, bytes)
            : feature!.IsOfStream && bytes.Length <= MaxUnflushedBytes ? default
            : feature.FlushAsync(context, bytes.Length);
    }

    /// <summary>Flushes the first piece, then writes and flushes the others.</summary>
    private static async ValueTask<FlushResult> FlushInPiecesAsync(HttpContext context, IBodyReferenceFeature feature, ReadOnlyMemory<byte> bytes)
    {
        FlushResult flushed = await feature.FlushAsync(context, MaxPieceBytes);
        for (int sent = MaxPieceBytes; sent < bytes.Length && !flushed.IsCompleted; sent += MaxPieceBytes)
        {
            ReadOnlyMemory<byte> piece = bytes.Slice(sent, Math.Min(MaxPieceBytes, bytes.Length - sent));
            flushed = TryRefer(context, feature, piece, owner: null)
                ? await feature.FlushAsync(context, piece.Length)
                : await context.Response.BodyWriter.WriteAsync(piece);
        }

        return flushed;
    }

    /// <summary>What may take the bytes by reference; null: they are to be copied.</summary>
    private static IBodyReferenceFeature? FeatureOf(HttpContext context, ReadOnlyMemory<byte> bytes)
        => context.Features.Get<IBodyReferenceFeature>() is { } feature
            && (feature.IsOfStream || (bytes.Length > MaxCopiedBytes && IsHttp1(context.Request.Protocol)))
            ? feature : null;

    private static Task StartAsync(HttpContext context, IBodyReferenceFeature? feature)
        => feature is { IsOfStream: false } && !context.Response.HasStarted ? context.Response.StartAsync() : Task.CompletedTask;

    private static bool TryRefer(HttpContext context, IBodyReferenceFeature? feature, ReadOnlyMemory<byte> bytes, IDisposable? owner)
        => feature is not null
            && (feature.IsOfStream || context.Response.ContentLength is not null)
            && feature.TryWrite(context.Response.BodyWriter, bytes, owner, isImmutable: owner is null);

    private static bool IsHttp1(string protocol) => HttpProtocol.IsHttp11(protocol) || HttpProtocol.IsHttp10(protocol);
}
