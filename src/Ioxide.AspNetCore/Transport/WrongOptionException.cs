namespace Ioxide.AspNetCore;

/// <summary>
/// An option has a value that cannot be used. A host that does not start because of it prints one line, without the calls that led there: the key
/// says where to look, and no code of the application is at fault.
/// </summary>
internal sealed class WrongOptionException(string message, Exception cause)
    : OptionsValidationException(Microsoft.Extensions.Options.Options.DefaultName, typeof(IoxideTransportOptions), [message])
{
    /// <summary>What found it.</summary>
    internal Exception Cause { get; } = cause;

    public override string ToString() => Message;
}
