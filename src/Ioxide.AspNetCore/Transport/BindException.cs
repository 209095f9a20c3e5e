namespace Ioxide.AspNetCore;

/// <summary>
/// An address is taken. Kestrel throws an <see cref="IOException"/> around the <see cref="AddressInUseException"/> of a transport; this one it
/// throws as it is. A host that does not start because of it prints one line: no code of the application is at fault.
/// </summary>
internal sealed class BindException(string message, AddressInUseException cause) : IOException(message, cause)
{
    public override string ToString() => Message;
}
