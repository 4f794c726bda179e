"""Quality tables of motions over ground, measured from written files with numpy alone."""
