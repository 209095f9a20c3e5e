using System.Net;

namespace Ioxide.BadNetwork;

/// <summary>A body of a key that stops after its first half until it is released.</summary>
internal sealed class HeldContent(long key, int lengthBytes) : HttpContent
{
    private readonly TaskCompletionSource _half = Waits.Signal();
    private readonly TaskCompletionSource _released = Waits.Signal();

    /// <summary>Completes when the first half was written.</summary>
    internal Task Half => _half.Task;

    internal void Release() => _released.TrySetResult();

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        => SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        byte[] body = new byte[lengthBytes];
        Payload.Fill(body, key, 0);
        int half = lengthBytes / 2;
        await stream.WriteAsync(body.AsMemory(0, half), cancellationToken);
        await stream.FlushAsync(cancellationToken);
        _half.TrySetResult();
        await _released.Task.WaitAsync(cancellationToken);
        await stream.WriteAsync(body.AsMemory(half), cancellationToken);
    }

    protected override bool TryComputeLength(out long length)
    {
        length = lengthBytes;
        return true;
    }
}
