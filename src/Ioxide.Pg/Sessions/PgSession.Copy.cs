using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>COPY on a session.</summary>
public sealed partial class PgSession
{
    /// <summary>Begins a <c>COPY ... FROM STDIN</c>. Until it is over the session refuses other commands with an exception.</summary>
    /// <param name="sql">One such command in UTF-8, in any format that the server knows.</param>
    /// <param name="cancellationToken">Gives the copy up, also after this method has returned.</param>
    /// <exception cref="PgException">The server refused the command.</exception>
    /// <exception cref="InvalidOperationException">Another copy runs, or the command is none.</exception>
    /// <remarks>A session that is disposed in the middle gives the copy up. Nothing is kept then.</remarks>
    public async ValueTask<PgCopyIn> CopyInAsync(ReadOnlyMemory<byte> sql, CancellationToken cancellationToken = default)
    {
        var operation = new CopyInOperation(sql.ToArray());
        Task<PgTag> result = operation.RunAsync(_target, cancellationToken).AsTask();

        // A failure is told by the start, or by the copy's methods; a copy that is left alone has no one to tell.
        _ = result.ContinueWith(
            static result => _ = result.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return new PgCopyIn(this, operation, result, await operation.Started.ConfigureAwait(true));
    }

    /// <summary>Runs a <c>COPY ... TO STDOUT</c> into a pipe, such as the body of a response, with back-pressure.</summary>
    /// <param name="sql">The command in UTF-8. What the server sends is passed on as it is.</param>
    /// <param name="writer">Flushed as it fills, and at the end. A reader that is slow slows the server.</param>
    /// <param name="cancellationToken">Gives up; the command is cancelled on the server.</param>
    /// <returns>The command and its rows.</returns>
    /// <remarks>A session that is disposed in the middle gives the copy up.</remarks>
    public async ValueTask<PgTag> CopyOutAsync(ReadOnlyMemory<byte> sql, PipeWriter writer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(writer);
        PgTag tag = await new CopyOutOperation(sql.ToArray(), writer).RunAsync(_target, cancellationToken).ConfigureAwait(true);
        await writer.FlushAsync(cancellationToken).ConfigureAwait(true);
        return tag;
    }
}
