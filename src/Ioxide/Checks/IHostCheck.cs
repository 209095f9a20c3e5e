namespace Ioxide;

/// <summary>
/// Looks at what a program needs of its host before it serves: a library, a database, a folder. Register it as a service, and
/// <c>--ioxide-check</c> runs it after the runtime's own checks.
/// </summary>
public interface IHostCheck
{
    /// <summary>Looks, and describes each thing in one line.</summary>
    /// <param name="reactors">
    /// A group with the program's options, for checks that need reactors. Null where the host refuses reactors. It is stopped after the last
    /// check.
    /// </param>
    /// <param name="cancellationToken">Ends the check.</param>
    /// <returns>The lines, in the order in which they are printed.</returns>
    /// <remarks>
    /// An exception becomes a line of its own with the state <see cref="CheckState.Missing"/>. Threads: the thread pool's, one check after another.
    /// </remarks>
    Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken);
}
