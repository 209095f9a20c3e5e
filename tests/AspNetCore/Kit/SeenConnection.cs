using System.Net;

namespace Ioxide.AspNetCore.Tests;

/// <summary>One connection as the outermost connection middleware saw it.</summary>
internal sealed record SeenConnection(string Id, bool HasReactor, IReadOnlyList<Type> Features, EndPoint? Local, EndPoint? Remote);
