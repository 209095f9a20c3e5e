namespace Ioxide.Files;

/// <summary>A file that is being read: through the ring of the reactor it was opened for, else on the thread pool.</summary>
/// <param name="handle">Owned from here on.</param>
/// <param name="version">As it was described when it was opened.</param>
/// <param name="reactor">Null where the host has no reactors.</param>
internal sealed class OpenFile(SafeFileHandle handle, FileVersion version, Reactor? reactor) : IDisposable
{
    private readonly RingFile? _ringFile = reactor is null ? null : RingFile.Adopt(reactor, handle, version.Length);

    internal FileVersion Version => version;

    internal ValueTask<int> ReadAsync(Memory<byte> buffer, long offset, CancellationToken cancellationToken)
        => _ringFile?.ReadAsync(buffer, offset, cancellationToken) ?? RandomAccess.ReadAsync(handle, buffer, offset, cancellationToken);

    /// <summary>Whether the kernel still describes it as it did when it was opened.</summary>
    /// <remarks>The time of the last change of its name or links is not looked at: replacing a file changes it, and not its bytes.</remarks>
    internal bool IsUnchanged()
        => FileRoot.TryDescribe(handle, out FileStatus status)
            && FileVersion.Of(status) is { } now
            && now.Length == version.Length
            && now.ModifiedNs == version.ModifiedNs;

    public void Dispose()
    {
        _ringFile?.Dispose();
        handle.Dispose();
    }
}
