namespace Ioxide.Pg;

/// <summary>
/// An option has a value that cannot be used. A host that does not start because of it prints one line, without the calls that led there: no code
/// of the application is at fault.
/// </summary>
internal sealed class WrongConfigurationException(string message, Exception? cause) : ArgumentException(message, cause)
{
    public override string ToString() => Message;
}
