using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>COPY on a session.</summary>
public sealed partial class PgSession
{
    /// <summary>Begins a <c>COPY ... FROM STDIN</c>. Until it ends the session refuses other commands with an exception.</summary>
    /// <param name="sql">The command in UTF-8, in any format that the server supports.</param>
    /// <param name="cancellationToken">Ends the copy, even after this method has returned.</param>
    /// <exception cref="PgException">The server refused the command.</exception>
    /// <exception cref="InvalidOperationException">Another copy is running, or the command is not such a COPY.</exception>
    /// <remarks>Disposing the session during the copy ends it, and no row is kept.</remarks>
    [ApplicationSide]
    public async ValueTask<PgCopyIn> CopyInAsync(ReadOnlyMemory<byte> sql, CancellationToken cancellationToken = default)
    {
        var roundTrip = new CopyInRoundTrip(sql.ToArray());
        Task<PgTag> result = roundTrip.RunAsync(_target, cancellationToken).AsTask();

        // The start or the copy's methods report a failure; for an abandoned copy it is observed here.
        _ = result.ContinueWith(
            static result => _ = result.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return new PgCopyIn(this, roundTrip, result, await roundTrip.Started.ConfigureAwait(true));
    }

    /// <summary>Runs a <c>COPY ... TO STDOUT</c> into a pipe, such as the body of a response, with back-pressure.</summary>
    /// <param name="sql">The command in UTF-8. The server's data is passed on unchanged.</param>
    /// <param name="writer">Flushed as it fills, and at the end. A slow reader slows the server.</param>
    /// <param name="cancellationToken">Stops waiting; the command is cancelled on the server.</param>
    /// <returns>The command's name and the number of rows.</returns>
    /// <remarks>Disposing the session during the copy ends it.</remarks>
    [ApplicationSide]
    public async ValueTask<PgTag> CopyOutAsync(ReadOnlyMemory<byte> sql, PipeWriter writer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(writer);
        PgTag tag = await new CopyOutRoundTrip(sql.ToArray(), writer).RunAsync(_target, cancellationToken).ConfigureAwait(true);
        await writer.FlushAsync(cancellationToken).ConfigureAwait(true);
        return tag;
    }
}
